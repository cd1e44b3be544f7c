"""LlamaIndex: an ingestion pipeline whose document store says what changed.

Its own vector store is one JSON file, which at this size takes far longer to write than everything
else; vectors therefore go to a table of SQLite, like those of the others. Its cache keeps every
node once more, and only finds them again if all inputs of a run are the same, so it is measured
separately.
"""

import sqlite3

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from pydantic import PrivateAttr

from bench.literature_peers.inputs import PASSAGE, find_nearest, read_references


class SameVectors(BaseEmbedding):
    """The embedder that everyone uses."""

    _embed = PrivateAttr()

    def __init__(self, embedder) -> None:
        super().__init__(model_name=embedder.name, embed_batch_size=256)
        self._embed = embedder.embed_text

    def _get_text_embedding(self, text):
        return np.frombuffer(self._embed(text), np.int8).astype(float).tolist()

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


class TableVectorStore(BasePydanticVectorStore):
    """Passages and vectors in a table of SQLite."""

    stores_text: bool = True
    _database = PrivateAttr()

    def __init__(self, path) -> None:
        super().__init__()
        self._database = sqlite3.connect(path)
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS passages "
            "(id TEXT PRIMARY KEY, paper TEXT, start INTEGER, text TEXT, vector BLOB)"
        )
        self._database.execute("CREATE INDEX IF NOT EXISTS by_paper ON passages (paper)")

    @property
    def client(self):
        return self._database

    def add(self, nodes, **kwargs):
        self._database.executemany(
            "INSERT OR REPLACE INTO passages VALUES (?, ?, ?, ?, ?)",
            (
                (
                    node.node_id,
                    node.ref_doc_id,
                    node.start_char_idx,
                    node.text,
                    np.array(node.embedding, np.int8).tobytes(),
                )
                for node in nodes
            ),
        )
        self._database.commit()
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id, **kwargs):
        self._database.execute("DELETE FROM passages WHERE paper = ?", (ref_doc_id,))

    def query(self, query, **kwargs):
        # The interface asks for it; an ingestion pipeline never calls it.
        raise RuntimeError("The benchmark searches the table itself.")


def update(corpus, state, embedder, *, is_cached=False):
    is_new = not state.exists()
    state.mkdir(parents=True, exist_ok=True)
    vectors = TableVectorStore(state / "index.db")
    papers = IngestionPipeline(
        transformations=[
            # The tokenizer counts characters, because everyone's passages are measured in them.
            SentenceSplitter(chunk_size=PASSAGE, chunk_overlap=0, tokenizer=list),
            SameVectors(embedder),
        ],
        docstore=SimpleDocumentStore(),
        vector_store=vectors,
        docstore_strategy=DocstoreStrategy.UPSERTS,
        disable_cache=not is_cached,
    )
    # References are stored, and are neither divided nor embedded.
    references = IngestionPipeline(
        transformations=[],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,
        disable_cache=not is_cached,
    )
    if not is_new:
        papers.load(str(state / "papers"))
        references.load(str(state / "references"))
    papers.run(
        documents=[
            Document(id_=path.name, text=path.read_text(encoding="utf-8"))
            for path in sorted((corpus / "papers").iterdir())
        ],
        store_doc_text=False,
    )
    references.run(
        documents=[
            Document(id_=f"{path.name}/{entry}", text=content)
            for path in sorted((corpus / "lists").iterdir())
            for entry, content in read_references(path.read_text(encoding="utf-8"))
        ]
    )
    papers.persist(str(state / "papers"))
    references.persist(str(state / "references"))
    ((passages,),) = vectors.client.execute("SELECT count(*) FROM passages")
    return {"passages": passages, "references": len(references.docstore.docs)}


def probe(state, embedder, queries):
    return find_nearest(state / "index.db", embedder, queries)
