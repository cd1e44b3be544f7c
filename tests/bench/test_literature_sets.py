"""The retrieval bench reads public sets as they lie, and computes nDCG as everybody does."""

import json
from pathlib import Path

import pytest
from bench.literature_retrieval import rank_with_fts5
from bench.literature_sets import compute_mean, compute_ndcg, read_sets


def test_ndcg_is_that_of_the_textbook() -> None:
    judged = {"a": 3, "b": 2, "c": 1}
    assert compute_ndcg(["a", "b", "c"], judged) == 1.0
    assert compute_ndcg([], judged) == 0.0
    # 2/1 + 3/log2(3) + 1/2 over 3/1 + 2/log2(3) + 1/2.
    assert compute_ndcg(["b", "a", "c"], judged) == pytest.approx(0.922, abs=0.001)
    assert compute_ndcg(["x"] * 10 + ["a"], judged) == 0.0


def test_each_set_is_read_in_its_own_format(tmp_path: Path) -> None:
    scifact, cranfield = tmp_path / "scifact", tmp_path / "cranfield"
    scifact.mkdir()
    cranfield.mkdir()
    told = [{"_id": "7", "title": "Statins", "text": "A cohort."}]
    (scifact / "corpus.jsonl").write_text("\n".join(map(json.dumps, told)))
    (scifact / "queries.jsonl").write_text('{"_id": "1", "text": "statins cohort"}\n')
    for split in ("train", "test"):
        (scifact / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n")
    (cranfield / "cran.all.1400").write_text(".I 1\n.T\nflow past\na plate\n.W\nshear flow .\n")
    (cranfield / "cran.qry").write_text(".I 004\n.W\nwhat flow\n")
    (cranfield / "cranqrel").write_text("1 1 2\n1 9 -1\n")
    train, test, cran = read_sets(tmp_path)
    assert (train.tuned, test.tuned, cran.tuned) == (True, False, False)
    assert test.documents == {"7": ("Statins", "A cohort.")}
    assert cran.documents == {"1": ("flow past a plate", "shear flow .")}
    assert (cran.queries, cran.judgements) == ({"1": "what flow"}, {"1": {"1": 3}})
    assert compute_mean(rank_with_fts5(test), test) == 1.0
