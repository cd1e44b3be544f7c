"""CocoIndex: a component for each file, remembered by its content; rows go to SQLite.

Since version 1 its state is in an LMDB file of its own, so it needs no Postgres.
"""

import sqlite3
from dataclasses import dataclass

import cocoindex as coco
from cocoindex.connectors import localfs, sqlite
from cocoindex.ops.text import RecursiveSplitter
from cocoindex.resources.file import FileLike

from bench.literature_peers.inputs import PASSAGE, find_nearest, read_references

DATABASE = coco.ContextKey("bench_database")
# How vectors are made is not part of what changes between runs.
_embed = None
_splitter = RecursiveSplitter()


@dataclass
class PassageRow:
    paper: str
    number: int
    start: int
    text: str
    vector: bytes


@dataclass
class ReferenceRow:
    list: str
    id: str
    content: str


@coco.fn(memo=True)
async def index_paper(file: FileLike, table) -> None:
    text = await file.read_text()
    name = file.file_path.path.name
    for number, chunk in enumerate(_splitter.split(text, PASSAGE, chunk_overlap=0)):
        table.declare_row(
            row=PassageRow(name, number, chunk.start.char_offset, chunk.text, _embed(chunk.text))
        )


@coco.fn(memo=True)
async def index_list(file: FileLike, table) -> None:
    name = file.file_path.path.name
    for entry, content in read_references(await file.read_text()):
        table.declare_row(row=ReferenceRow(name, entry, content))


@coco.fn
async def index_corpus(corpus) -> None:
    passages = await sqlite.mount_table_target(
        DATABASE,
        "passages",
        await sqlite.TableSchema.from_class(PassageRow, primary_key=["paper", "number"]),
    )
    references = await sqlite.mount_table_target(
        DATABASE,
        "refs",
        await sqlite.TableSchema.from_class(ReferenceRow, primary_key=["list", "id"]),
    )
    await coco.mount_each(index_paper, localfs.walk_dir(corpus / "papers").items(), passages)
    await coco.mount_each(index_list, localfs.walk_dir(corpus / "lists").items(), references)


def update(corpus, state, embedder):
    global _embed
    _embed = embedder.embed_text
    state.mkdir(parents=True, exist_ok=True)

    @coco.lifespan
    def provide(builder):
        builder.settings.db_path = state / "cocoindex.db"
        with sqlite.managed_connection(state / "index.db", load_vec=False) as database:
            builder.provide(DATABASE, database)
            yield

    app = coco.App(coco.AppConfig(name="bench"), index_corpus, corpus=corpus)
    app.update_blocking()
    with sqlite3.connect(state / "index.db") as database:
        return {
            "passages": database.execute("SELECT count(*) FROM passages").fetchone()[0],
            "references": database.execute("SELECT count(*) FROM refs").fetchone()[0],
        }


def probe(state, embedder, queries):
    return find_nearest(state / "index.db", embedder, queries)
