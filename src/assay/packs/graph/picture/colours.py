"""The colours of kinds of entities, by light and by dark, and how the picture uses them."""

_BASE = (
    (0x2F, 0x6F, 0xDE),
    (0xD9, 0x6B, 0x0B),
    (0x1E, 0x8F, 0x5B),
    (0xA8, 0x3F, 0xC4),
    (0xC9, 0x2F, 0x4B),
    (0x0E, 0x8C, 0x9E),
    (0x8A, 0x76, 0x0A),
    (0x5B, 0x54, 0xD6),
    (0xC0, 0x3C, 0x8E),
    (0x5F, 0x8A, 0x1C),
    (0x8C, 0x5A, 0x3C),
    (0x6B, 0x72, 0x80),
)
_WHITE = (0xFF, 0xFF, 0xFF)
_NIGHT = (0x14, 0x18, 0x20)
_BLACK = (0, 0, 0)
_Rgb = tuple[int, int, int]


def rules(selector: str, paint: str) -> str:
    """CSS for each kind: `{selector}{n}` gets its tint, its edge and its ink.

    `paint` is `svg` (fill and stroke) or `html` (background and underline).
    """
    light = "".join(
        _rule(f"{selector}{n}", _mixed(c, _WHITE, 0.88), _hex(c), _mixed(c, _BLACK, 0.3), paint)
        for n, c in enumerate(_BASE)
    )
    dark = "".join(
        _rule(
            f"{selector}{n}",
            _mixed(c, _NIGHT, 0.68),
            _mixed(c, _WHITE, 0.25),
            _mixed(c, _WHITE, 0.6),
            paint,
        )
        for n, c in enumerate(_BASE)
    )
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _rule(selector: str, tint: str, edge: str, ink: str, paint: str) -> str:
    if paint == "html":
        return f"{selector}{{background:{tint};border-color:{edge}}}"
    return (
        f"{selector} .box{{fill:{tint};stroke:{edge}}}"
        f"{selector} .dot{{fill:{edge}}}"
        f"{selector} .kind{{fill:{ink}}}"
    )


def _mixed(colour: _Rgb, other: _Rgb, share: float) -> str:
    red, green, blue = (
        round(own * (1 - share) + its * share) for own, its in zip(colour, other, strict=True)
    )
    return _hex((red, green, blue))


def _hex(colour: _Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
