"""Sums of money in a text, with the currency in ISO 4217."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from assay.packs.graph.literals.datatypes import likeliest_first, number_readings
from assay.packs.graph.model import Literal
from assay.sdk.facts import NumberAt, sums_in

_IN_FRONT: Mapping[str, str] = {
    "HK$": "HKD",
    "NZ$": "NZD",
    "S$": "SGD",
    "R$": "BRL",
    "MX$": "MXN",
    "NT$": "TWD",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "₪": "ILS",
    "₴": "UAH",
    "₦": "NGN",
    "₱": "PHP",
    "RMB": "CNY",
    "CN¥": "CNY",
}
_CODES = (
    "AED ARS BGN BRL CLP CNY COP EGP HKD IDR ILS INR ISK KES KRW MXN MYR NGN NZD PHP PKR RON RUB "
    "SAR SGD THB TRY TWD UAH VND ZAR"
)
_BEHIND: Mapping[str, str] = {
    "indian rupees": "INR",
    "pakistani rupees": "PKR",
    "rubles": "RUB",
    "roubles": "RUB",
    "yuan": "CNY",
    "renminbi": "CNY",
    "south korean won": "KRW",
    "hong kong dollars": "HKD",
    "new zealand dollars": "NZD",
    "singapore dollars": "SGD",
    "mexican pesos": "MXN",
    "turkish lira": "TRY",
    "israeli shekels": "ILS",
    "south african rand": "ZAR",
    "brazilian reais": "BRL",
    # Whose pounds or rupees nobody says: they stay words.
    "rupees": "rupees",
    "pesos": "pesos",
    "crowns": "crowns",
}
_BEFORE = re.compile(
    "(?:"
    + "|".join(map(re.escape, sorted(_IN_FRONT, key=len, reverse=True)))
    + "|(?<!\\w)(?:"
    + _CODES.replace(" ", "|")
    + "))[ \u00a0]?$"
)
_AFTER = re.compile(
    r"[ \u00a0](?:(?i:(?P<name>"
    + "|".join(sorted(_BEHIND, key=len, reverse=True))
    + "))|(?P<code>"
    + _CODES.replace(" ", "|")
    + r"))(?!\w)"
)
_INDIAN = re.compile(r"[ \u00a0](?P<scale>crore|lakh)s?(?!\w)", re.IGNORECASE)
_TIMES = {"crore": Decimal(10**7), "lakh": Decimal(10**5)}
_REACH = 5


def sums(
    text: str, numbers: list[NumberAt], language: str | None
) -> Iterator[tuple[int, int, tuple[Literal, ...]]]:
    """Sums of money, scaled: `$3.5 million` is 3,500,000."""
    for number in numbers:
        found = _of_the_world(text, number)
        if found is not None:
            yield found
    for each in sums_in(text, language):
        if text.startswith(("km", "dm"), each.start):
            # A length stands before the number, and is none of its own.
            continue
        values = likeliest_first(each.readings, text[each.start : each.end], language)
        yield each.start, each.end, _readings(values, each.currency)


def _of_the_world(text: str, number: NumberAt) -> tuple[int, int, tuple[Literal, ...]] | None:
    end, values = number.end, number.readings
    scale = _INDIAN.match(text, end)
    if scale is not None:
        end = scale.end()
        values = tuple(value * _TIMES[scale["scale"].casefold()] for value in values)
    lead = max(0, number.start - _REACH)
    before = _BEFORE.search(text, lead, number.start)
    if before is not None:
        sign = before.group().strip()
        return before.start(), end, _readings(values, _IN_FRONT.get(sign, sign))
    after = _AFTER.match(text, end)
    if after is not None:
        code = after["code"] or _BEHIND[after["name"].casefold()]
        return number.start, after.end(), _readings(values, code)
    return None


def _readings(values: tuple[Decimal, ...], currency: str) -> tuple[Literal, ...]:
    found = (one for value in values for one in number_readings(value, currency))
    return tuple(dict.fromkeys(found))
