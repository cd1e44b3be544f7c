"""bm25s's side of the retrieval bench, as its README advises: stop words and an English stemmer.

Reads a set from a file, and prints the ids of the ten best documents for each query.
"""

import json
import sys
from pathlib import Path

import bm25s
import Stemmer


def main() -> None:
    told = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    ids = list(told["documents"])
    stemmer = Stemmer.Stemmer("english")

    def split(texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    retriever = bm25s.BM25()
    retriever.index(
        split([" ".join(text) for text in told["documents"].values()]), show_progress=False
    )
    found, _ = retriever.retrieve(split(list(told["queries"].values())), k=10, show_progress=False)
    ranks = {
        query: [ids[int(place)] for place in row]
        for query, row in zip(told["queries"], found, strict=True)
    }
    print(json.dumps(ranks))


if __name__ == "__main__":
    main()
