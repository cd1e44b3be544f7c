"""What a document, a file name or a server may say to harm whoever looks at it."""

from typing import Final

CONTROLS: Final = {
    "colour": "\x1b[31mred\x1b[0m",
    "erase-screen": "\x1b[2J\x1b[H",
    "window-title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "hyperlink": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "answer-back": '\x1b[6n\x1bP$q"p\x1b\\',
    "c1-sequence": "\x9b2J\x9d0;owned\x9c",
    "overwrite-line": "approved\rdenied \x08\x08\x08",
    "bell-and-null": "\x07\x00\x7f",
    "next-line": "a\x85b\x0bc\x0cd",
    "override": "invoice\u202efdp.exe",
    "isolates": "a\u2066b\u2067c\u2068d\u2069",
    "embeddings": "\u202aa\u202bb\u202cc\u202d",
    "separators": "a\u2028b\u2029c",
    "half-a-pair": "a\ud800b\udfff",
}
"""Signs that a terminal, an editor or a reader of lines obeys."""
FORGED_LINE: Final = 'done\nERROR forged\n{"level": "error"}\n'
MARKUP: Final = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "image": "<img src=x onerror=alert(1)>",
    "markdown-link": "[click](javascript:alert(1))",
    "markdown-image": "![](http://evil.example/seen.png)",
    "markdown-heading": "\n# Owned\n\n- [x] approved",
    "fence": "```\n</code>\n```",
}
FORMULAS: Final = {
    "equals": "=cmd|'/c calc'!A0", "plus": "+1+cmd", "minus": "-2+3+cmd", "at": "@SUM(1)",
    "tab": "\t=1+1", "return": "\r=1+1", "wide-equals": "＝1+1", "wide-at": "＠SUM(1)",
    "space": "  =HYPERLINK(\"http://evil.example\")",
}  # fmt: skip


def find_obeyed(text: str) -> list[str]:
    """The signs in a text that a terminal would obey, or that reorder it."""
    obeyed = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F),
              *range(0x2066, 0x206A), *range(0xD800, 0xE000)]  # fmt: skip
    signs = set(map(chr, obeyed))
    return [f"U+{ord(sign):04X}" for sign in text if sign in signs]
