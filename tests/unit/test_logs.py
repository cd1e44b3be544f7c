"""A log line is one JSON object that can be tied to its job."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.logs import CORRELATION_FIELDS, JsonLines, Log, bind_fields, configure


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Give the loggers back as they were found."""
    loggers = [logging.getLogger(name) for name in ("assay", "dbos")]
    before = [(lg.level, lg.propagate, list(lg.handlers)) for lg in loggers]
    for logger in loggers:
        logger.handlers = []
    yield
    for logger, (level, propagate, handlers) in zip(loggers, before, strict=True):
        for handler in logger.handlers:
            handler.close()
        logger.setLevel(level)
        logger.propagate = propagate
        logger.handlers = handlers


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "logs" / "assay.jsonl"
    configure("debug", path)
    return path


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_line_is_a_json_object_with_its_time_level_logger_and_action(file: Path) -> None:
    Log("assay.some.part").info("it_happened", "Događaj\nu dva retka", number=3, nothing=None)
    (line,) = lines(file)
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "assay.some.part",
        "message": "Događaj\nu dva retka",
        "action": "it_happened",
        "number": 3,
    }


def test_the_time_is_utc_with_milliseconds() -> None:
    record = logging.makeLogRecord({"created": 1_700_000_000.25, "msecs": 250.0, "msg": "m"})
    assert json.loads(JsonLines().format(record))["at"] == "2023-11-14T22:13:20.250Z"


def test_every_correlation_field_is_carried_by_the_lines_inside(file: Path) -> None:
    fields = {name: f"the-{name}" for name in CORRELATION_FIELDS}
    assert {"run_id", "job_id", "parent_job_id", "source_slug", "queue"} <= fields.keys()
    with bind_fields(**fields):
        Log("assay.x").warning("inside", "m")
    Log("assay.x").warning("outside", "m")
    inside, outside = lines(file)
    assert {name: inside[name] for name in fields} == fields
    assert not fields.keys() & outside.keys()


def test_fields_nest_and_the_inner_ones_win_until_they_end(file: Path) -> None:
    log = Log("assay.x")
    with bind_fields(run_id="r1", queue="scout"):
        with bind_fields(queue="router", job_id="j1", source_slug=None):
            log.info("inner", "m")
        log.info("outer", "m")
        log.info("own", "m", queue="ocr")
    inner, outer, own = ({k: v for k, v in line.items() if k in CORRELATION_FIELDS}
                         for line in lines(file))  # fmt: skip
    assert inner == {"run_id": "r1", "queue": "router", "job_id": "j1"}
    assert outer == {"run_id": "r1", "queue": "scout"}
    assert own == {"run_id": "r1", "queue": "ocr"}


def test_fields_end_with_an_exception_too(file: Path) -> None:
    with pytest.raises(RuntimeError), bind_fields(run_id="r1"):
        raise RuntimeError
    Log("assay.x").info("after", "m")
    assert "run_id" not in lines(file)[0]


def test_a_traceback_is_kept_on_its_line(file: Path) -> None:
    try:
        raise ValueError("the cause")
    except ValueError:
        Log("assay.x").error("it_broke", "m", traceback=True)
        Log("assay.x").error("it_broke", "m")
    with_it, without = lines(file)
    assert with_it["traceback"].startswith("Traceback (most recent call last)")
    assert with_it["traceback"].endswith("ValueError: the cause")
    assert "traceback" not in without


def test_a_value_that_json_does_not_know_is_written_as_text(file: Path) -> None:
    Log("assay.x").info("a", "m", where=Path("/a/b"))
    assert lines(file)[0]["where"] == "/a/b"


def test_the_level_keeps_lesser_lines_out(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    configure("warning", path)
    log = Log("assay.x")
    log.debug("a", "m")
    log.info("b", "m")
    log.warning("c", "m")
    log.error("d", "m")
    assert [line["action"] for line in lines(path)] == ["c", "d"]


def test_the_console_gets_errors_only_and_in_plain_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure("debug", tmp_path / "log.jsonl")
    Log("assay.x").warning("a", "a warning")
    Log("assay.x").error("b", "an error")
    assert capsys.readouterr().err == "ERROR an error\n"


def test_configuring_again_does_not_write_lines_twice(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    configure("info", path)
    configure("info", path)
    Log("assay.x").info("once", "m")
    assert len(lines(path)) == 1


def test_the_queue_librarys_lines_go_to_the_file_and_not_to_the_console(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger("dbos").error("from the queue")
    assert lines(file)[0]["message"] == "from the queue"
    assert capsys.readouterr().err == ""
