"""The only surface that a pack may import, by what a pack author does.

`pack` declares; `records` and `stages` store and work; `facts` takes facts; `models` asks models;
`reading` and `sources` read documents and payloads; `services` is what Assay lends at run time;
`commands` and `screens` speak on the command line, `web` over HTTP; `demo` shows the pack at work;
`errors` says what went wrong.
"""
