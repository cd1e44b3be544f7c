"""Splink and dedupe on two tables of bibliographic records.

Reads one JSON object: the peer's name, the tables by record id, labelled pairs to learn from, and
whether a record has at most one partner. Answers with the pairs that the peer holds for the same.
"""

import contextlib
import io
import json
import random
import sys

FIELDS = ("title", "authors", "venue", "year")
SEED = 1


def link_with_splink(left, right, question):
    """Unsupervised, as Splink's own tutorial does: u by sampling, m by expectation maximisation."""
    import pyarrow as pa
    import splink.comparison_library as cl
    from splink import Linker, SettingsCreator, block_on
    from splink.backends.duckdb import DuckDBAPI

    database = DuckDBAPI()

    def register(name, table):
        columns = {"unique_id": list(table)}
        for field in FIELDS:
            columns[field] = [record[field] or None for record in table.values()]
        columns["source_dataset"] = [name] * len(table)
        return database.register(pa.table(columns), dataset_display_name=name)

    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[
            cl.JaccardAtThresholds("title", [0.95, 0.85, 0.7]),
            cl.JaccardAtThresholds("authors", [0.9, 0.7, 0.5]),
            cl.ExactMatch("year"),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("substr(title, 1, 12)"),
            block_on("substr(reverse(title), 1, 12)"),
            block_on("substr(authors, 1, 8)", "year"),
            block_on("list_sort(string_split(title, ' '))[-3:]"),
        ],
    )
    linker = Linker([register("a", left), register("b", right)], settings, log_level="ERROR")
    training = linker.training
    training.estimate_probability_two_random_records_match(
        [block_on("title", "year"), block_on("title", "authors")], recall=0.7
    )
    training.estimate_u_using_random_sampling(max_pairs=1e6, seed=SEED)
    training.estimate_parameters_using_expectation_maximisation(
        block_on("year"), record_sample_proportion=1.0
    )
    training.estimate_parameters_using_expectation_maximisation(
        block_on("substr(title, 1, 12)"), record_sample_proportion=1.0
    )
    found = linker.inference.predict(threshold_match_probability=0.5).as_record_list()
    pairs = []
    for row in found:
        ends = {
            row["source_dataset_l"]: row["unique_id_l"],
            row["source_dataset_r"]: row["unique_id_r"],
        }
        pairs.append([ends["a"], ends["b"]])
    return pairs


def link_with_dedupe(left, right, question):
    """Supervised: learns blocking and weights from the labelled pairs of the tuning part."""
    import dedupe

    random.seed(SEED)
    tables = [
        {key: {field: record[field] or None for field in FIELDS} for key, record in table.items()}
        for table in (left, right)
    ]
    variables = [
        dedupe.variables.String("title"),
        dedupe.variables.Text("title"),
        dedupe.variables.String("authors", has_missing=True),
        dedupe.variables.String("venue", has_missing=True),
        dedupe.variables.Exact("year", has_missing=True),
    ]
    linker = dedupe.RecordLink(variables, num_cores=1, in_memory=True)
    pick = random.Random(SEED)
    labelled = {}
    for name, count in (("match", 200), ("distinct", 400)):
        pairs = question["training"][name]
        some = pick.sample(pairs, min(count, len(pairs)))
        labelled[name] = [(tables[0][a], tables[1][b]) for a, b in some]
    training = io.StringIO(json.dumps(labelled))
    linker.prepare_training(*tables, training_file=training, sample_size=1000)
    linker.train(recall=1.0)
    constraint = "one-to-one" if question["one_to_one"] else "many-to-many"
    return [list(pair) for pair, _ in linker.join(*tables, threshold=0.5, constraint=constraint)]


PEERS = {"splink": link_with_splink, "dedupe": link_with_dedupe}


def main():
    question = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        pairs = PEERS[question["peer"]](question["left"], question["right"], question)
    json.dump(pairs, sys.stdout)


if __name__ == "__main__":
    main()
