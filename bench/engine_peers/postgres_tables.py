"""The bench tables in a Postgres database, with the server's own defaults for durability."""

import psycopg

from bench.engine_peers.tables import CREATE_TABLES, DROP_TABLES, check_results


def fill(url: str, texts: list[str]) -> None:
    """Lay the documents in fresh tables."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (*DROP_TABLES, *CREATE_TABLES):
            connection.execute(statement)
        with connection.cursor().copy("COPY bench_documents (id, body) FROM STDIN") as copy:
            for row in enumerate(texts, start=1):
                copy.write_row(row)
        connection.execute("ANALYZE bench_documents")


def check(url: str, texts: list[str]) -> None:
    """Refuse a run that did not store exactly what it owed."""
    with psycopg.connect(url, autocommit=True) as connection:
        check_results(
            texts,
            connection.execute("SELECT doc_id, stage, body FROM bench_results"),
            connection.execute("SELECT doc_id, stage FROM bench_progress"),
        )


def server_pid(url: str) -> int:
    """The process id of the server behind `url`, so that its own CPU time can be counted."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
    assert row is not None
    return int(row[0].split()[0])
