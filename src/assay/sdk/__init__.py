"""The public API for packs: a pack may import these modules and nothing else from Assay.

There is one module for each task of a pack author:

- `pack`: the declaration of the pack itself.
- `records` and `stages`: what the pack stores, and the work it does.
- `facts`: declaring and extracting facts.
- `models`: asking language models, within budgets and timeouts.
- `reading` and `sources`: reading documents, and the payloads that sources send.
- `scouting`: judging cheaply whether a document is worth reading.
- `services`: what Assay provides at run time.
- `commands` and `screens`: the command line; `web`: the HTTP API; `pages` and `diffs`: the console;
  `tools`: what assistants may ask.
- `migrations`: what the pack's Alembic revisions need.
- `demo`: the pack's part of `assay demo`.
- `errors`: what can go wrong.
"""
