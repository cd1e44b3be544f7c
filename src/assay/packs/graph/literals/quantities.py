"""Units of measure and sums of money in a text, in UCUM and ISO 4217."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from assay.packs.graph.literals.datatypes import list_number_readings, rank_numbers
from assay.packs.graph.model import Literal
from assay.sdk.facts import NumberAt, scan_sums

_LENGTHS = {
    "m": "metre meter metres meters metar metra metara meter metern",
    "km": "kilometre kilometer kilometres kilometers kilometar kilometra kilometara kilometern",
    "cm": "centimetre centimeter centimetres centimeters centimetara zentimeter",
    "mm": "millimetre millimeter millimetres millimeters milimetara",
    "[ft_i]": "foot feet",
    "[in_i]": "inch inches",
    "[yd_i]": "yard yards",
    "[mi_i]": "mile miles",
}
_NAMED: Mapping[str, str] = {
    **_LENGTHS,
    "nm": "nanometre nanometres nanometer nanometers",
    "um": "micrometre micrometres micrometer micrometers",
    "[fth_i]": "fathom fathoms",
    "[ly]": "light-year light-years lightyear lightyears",
    "pc": "parsec parsecs",
    "har": "hectare hectares hektar hektara",
    "[acr_us]": "acre acres",
    "kg": "kilogram kilograms kilogramme kilogrammes kilograma kilogramm",
    "g": "gram grams gramme grammes grama gramm",
    "mg": "milligram milligrams",
    "t": "tonne tonnes tona tone tonnen",
    "[oz_av]": "ounce ounces",
    "L": "litre litres liter liters litara litra",
    "mL": "millilitre millilitres milliliter milliliters",
    "s": "second seconds sekundi sekunde sekunden",
    "min": "minute minutes minuta minuten",
    "h": "hour hours sat sata sati stunde stunden",
    "d": "day days dan dana tag tage tagen",
    "wk": "week weeks tjedan tjedna tjedana woche wochen",
    "mo": "month months mjesec mjeseca mjeseci monat monate monaten",
    "a": "year years godinu godina jahr jahre jahren",
    "10.a": "decade decades",
    "100.a": "century centuries",
    "[kn_i]": "knot knots",
    "[HP]": "horsepower",
    "W": "watt watts",
    "kW": "kilowatt kilowatts",
    "MW": "megawatt megawatts",
    "GW": "gigawatt gigawatts",
    "V": "volt volts",
    "A": "ampere amperes amps",
    "Hz": "hertz",
    "K": "kelvin kelvins",
    "J": "joule joules",
    "N": "newton newtons",
    "Pa": "pascal pascals",
    "bit": "bits",
    "By": "byte bytes",
    "[car_m]": "carat carats",
    # Which pound, ton or gallon is meant is unclear: they stay words.
    "pounds": "pounds pound",
    "tons": "tons ton",
    "gallons": "gallons gallon",
}
_AS_WRITTEN = """
nm mm cm dm m km mg g kg t mL dL L min h s ms Hz kHz MHz GHz W kW MW GW V kV A mA J kJ MJ N kN Pa
kPa hPa MPa m/s km/h km/s
"""
_SYMBOLS: Mapping[str, str] = {
    **{one: one for one in _AS_WRITTEN.split()},
    "MWh": "MW.h",
    "GWh": "GW.h",
    "TWh": "TW.h",
    "kWh": "kW.h",
    "µm": "um",
    "μm": "um",
    "ml": "mL",
    "l": "L",
    "cl": "cL",
    "ft": "[ft_i]",
    "yd": "[yd_i]",
    "mi": "[mi_i]",
    "nmi": "[nmi_i]",
    "lb": "[lb_av]",
    "lbs": "[lb_av]",
    "oz": "[oz_av]",
    "ha": "har",
    "mph": "[mi_i]/h",
    "kph": "km/h",
    "kmh": "km/h",
    "hp": "[HP]",
    "hrs": "h",
    "mins": "min",
    "kB": "kBy",
    "KB": "kBy",
    "MB": "MBy",
    "GB": "GBy",
    "TB": "TBy",
    "°C": "Cel",
    "℃": "Cel",
    "°F": "[degF]",
    "℉": "[degF]",
    "°": "deg",
    "psi": "[psi]",
    "AU": "AU",
}
_PHRASES: Mapping[str, str] = {
    "nautical miles": "[nmi_i]",
    "nautical mile": "[nmi_i]",
    "light years": "[ly]",
    "light year": "[ly]",
    "astronomical units": "AU",
    "metric tons": "t",
    "metric tonnes": "t",
    "kilowatt hours": "kW.h",
    "kilowatt-hours": "kW.h",
    "miles per hour": "[mi_i]/h",
    "kilometres per hour": "km/h",
    "kilometers per hour": "km/h",
    "metres per second": "m/s",
    "meters per second": "m/s",
    "degrees celsius": "Cel",
    "degree celsius": "Cel",
    "degrees centigrade": "Cel",
    "degrees fahrenheit": "[degF]",
    "degree fahrenheit": "[degF]",
    "grad celsius": "Cel",
    "stupnjeva celzija": "Cel",
}
_TO_THE_POWER = {"square": "2", "cubic": "3", "sq": "2", "cu": "3", "sq.": "2", "cu.": "3"}


def _build_names() -> dict[str, str]:
    found = dict(_PHRASES)
    for code, names in _NAMED.items():
        found.update(dict.fromkeys(names.split(), code))
    for code, names in _LENGTHS.items():
        for prefix in ("square", "cubic"):
            found.update(
                {f"{prefix} {name}": code + _TO_THE_POWER[prefix] for name in names.split()}
            )
    for german in ("quadratmeter", "četvornih metara", "kvadratnih metara"):
        found[german] = "m2"
    for german in ("quadratkilometer", "četvornih kilometara", "kvadratnih kilometara"):
        found[german] = "km2"
    found["kubikmeter"] = found["kubičnih metara"] = "m3"
    return found


def _build_symbols() -> dict[str, str]:
    found = dict(_SYMBOLS)
    for symbol in ("mm", "cm", "dm", "m", "km", "ft", "in", "yd", "mi"):
        code = {"in": "[in_i]"}.get(symbol, _SYMBOLS.get(symbol, symbol))
        for power, marks in (("2", ("2", "²", "^2")), ("3", ("3", "³", "^3"))):
            found.update({symbol + mark: code + power for mark in marks})
        for prefix in ("sq", "sq.", "cu", "cu."):
            found[f"{prefix} {symbol}"] = code + _TO_THE_POWER[prefix]
    return found


_BY_NAME = _build_names()
_BY_SYMBOL = _build_symbols()
_NOT_ATTACHED = frozenset({"s", "A", "t"})
"""`1990s`, `5A` and `4t` are not numbers with units."""


def _build_alternatives(names: Mapping[str, str]) -> str:
    longest = sorted(names, key=lambda name: (-len(name), name))
    return "|".join(re.escape(name).replace("\\ ", "[ \u00a0]") for name in longest)


_GAP = "[ \\n\u00a0\u202f\u2009]{0,2}"
_UNIT = re.compile(
    rf"{_GAP}-?(?:(?P<symbol>{_build_alternatives(_BY_SYMBOL)})"
    rf"|(?P<name>(?i:{_build_alternatives(_BY_NAME)})))(?![\w²³^])"
)
ATTACHED = re.compile(
    r"(?<![\w.,/-])(?P<number>[0-9]{1,12}(?:[.,][0-9]{1,12}){0,4})(?P<unit>"
    + _build_alternatives(
        {name: code for name, code in _BY_SYMBOL.items() if name not in _NOT_ATTACHED}
    )
    + r")(?![\w²³^])"
)
"""A number and a symbol without a space: `250mm`."""
SECONDS: Mapping[str, Decimal] = {
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
    "wk": Decimal(604800),
}
MONTHS: Mapping[str, Decimal] = {
    "mo": Decimal(1),
    "a": Decimal(12),
    "10.a": Decimal(120),
    "100.a": Decimal(1200),
}
_PER = re.compile("/|[ \u00a0](?:per|pro|po)(?=[ \u00a0])")
_SPACE = re.compile("[ \u00a0]")


def find_unit_after(text: str, place: int) -> tuple[int, str] | None:
    """Find where the unit after a number ends, and its code; `/km2` is `per square kilometre`."""
    per = _PER.match(text, place)
    if per is None:
        return _find_unit_at(text, place)
    unit = _find_unit_at(text, per.end())
    return None if unit is None else (unit[0], f"/{unit[1]}")


def _find_unit_at(text: str, place: int) -> tuple[int, str] | None:
    unit = _UNIT.match(text, place)
    if unit is None:
        return None
    if unit["symbol"] is not None:
        if unit["symbol"] in _NOT_ATTACHED and unit.start("symbol") == place:
            return None
        return unit.end(), code_symbol(unit["symbol"])
    return unit.end(), _BY_NAME[_SPACE.sub(" ", unit["name"]).casefold()]


def code_symbol(symbol: str) -> str:
    """Return the code of a unit symbol."""
    return _BY_SYMBOL[_SPACE.sub(" ", symbol)]


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
    # Which country's rupees or pesos are meant is unclear: they stay words.
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


def find_sums(
    text: str, numbers: list[NumberAt], language: str | None
) -> Iterator[tuple[int, int, tuple[Literal, ...]]]:
    """Find sums of money, scaled: `$3.5 million` is 3,500,000."""
    for number in numbers:
        found = _find_foreign_sum(text, number)
        if found is not None:
            yield found
    for each in scan_sums(text, language):
        if text.startswith(("km", "dm"), each.start):
            # A unit of length before the number is not a currency.
            continue
        values = rank_numbers(each.readings, text[each.start : each.end], language)
        yield each.start, each.end, _list_readings(values, each.currency)


def _find_foreign_sum(text: str, number: NumberAt) -> tuple[int, int, tuple[Literal, ...]] | None:
    end, values = number.end, number.readings
    scale = _INDIAN.match(text, end)
    if scale is not None:
        end = scale.end()
        values = tuple(value * _TIMES[scale["scale"].casefold()] for value in values)
    lead = max(0, number.start - _REACH)
    before = _BEFORE.search(text, lead, number.start)
    if before is not None:
        sign = before.group().strip()
        return before.start(), end, _list_readings(values, _IN_FRONT.get(sign, sign))
    after = _AFTER.match(text, end)
    if after is not None:
        code = after["code"] or _BEHIND[after["name"].casefold()]
        return number.start, after.end(), _list_readings(values, code)
    return None


def _list_readings(values: tuple[Decimal, ...], currency: str) -> tuple[Literal, ...]:
    found = (one for value in values for one in list_number_readings(value, currency))
    return tuple(dict.fromkeys(found))
