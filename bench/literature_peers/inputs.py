"""What every peer reads, and the vectors that everyone computes."""

import importlib.util
import json
import sqlite3
import sys

import numpy as np

PASSAGE = 1_200
"""Characters of a passage, at most."""


def load_embedder(path):
    """Assay's own embedder, from its file: peers compute the same vectors with the same code."""
    spec = importlib.util.spec_from_file_location("vectors", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["vectors"] = module
    spec.loader.exec_module(module)
    return module.DEFAULT_EMBEDDER


def read_references(text):
    """The entries of a list: id and content."""
    for item in json.loads(text):
        yield item["id"], json.dumps(item, ensure_ascii=False, sort_keys=True)


def find_nearest(database, embedder, queries):
    """The paper whose passage is nearest to each query, by a look at every vector."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT paper, vector FROM passages").fetchall()
    vectors = np.frombuffer(b"".join(vector for _, vector in rows), np.int8)
    matrix = vectors.reshape(len(rows), -1).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    asked = (np.frombuffer(embedder.embed_text(each), np.int8) for each in queries)
    return [rows[int(np.argmax(matrix @ each.astype(np.float32)))][0] for each in asked]
