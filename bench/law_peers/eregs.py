"""Run the eRegs amendment parser on the instructions of notices.

    python eregs.py < notices.json > instructions.json

Runs in a process of its own with a checkout of eregs/regulations-parser and its libraries on the
path. The parser was written for Python 2.7 and 3.5: what today's Python and libraries have renamed
is put back first; the parser itself is unchanged.
"""

import collections
import collections.abc
import html
import html.parser
import json
import logging
import sys
import time

html.parser.HTMLParser.unescape = staticmethod(html.unescape)
for _name in ("Mapping", "MutableMapping", "Sequence", "Iterable", "Callable"):
    setattr(collections, _name, getattr(collections.abc, _name))
logging.disable(logging.CRITICAL)

import attr  # noqa: E402

_attrib = attr.attrib
attr.attrib = attr.ib = lambda convert=None, **given: _attrib(converter=convert, **given)

from lxml import etree  # noqa: E402
from regparser.notice.amdparser import (  # noqa: E402
    amendment_from_xml,
    parse_amdpar,
)


def read_notice(instructions, part):
    """What the parser makes of a notice's instructions: verb, label and destination."""
    root = etree.Element("REGTEXT")
    context = [part]
    found = []
    for text in instructions:
        par = etree.SubElement(root, "AMDPAR")
        par.text = text
        try:
            parsed, context = parse_amdpar(par, context)
        except Exception as error:
            found.append({"error": f"{type(error).__name__}: {error}"[:100]})
            continue
        par.append(parsed)
        for each in parsed:
            if each.get("label"):
                amendment = amendment_from_xml(each)
                found.append(
                    {
                        "verb": amendment.action,
                        "label": amendment.label,
                        "destination": amendment.destination,
                        "field": amendment.field,
                    }
                )
    return found


def main():
    notices = json.load(sys.stdin)
    started = time.process_time()
    results = [read_notice(each["instructions"], each["part"]) for each in notices]
    json.dump({"results": results, "seconds": time.process_time() - started}, sys.stdout)


if __name__ == "__main__":
    main()
