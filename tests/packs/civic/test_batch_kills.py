"""The program is killed while a batch of questions is on its way; the books balance."""

import json
from datetime import date, timedelta
from pathlib import Path

import sqlalchemy as sa

from assay.engine.loop import LoopThread
from tests.bad_site import serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.packs.civic.springfield import BUDGET
from tests.packs.civic.test_commands import CITY, HOST, open_desk
from tests.packs.civic.test_models import analyse
from tests.providers.batch_books import BatchBehaviour
from tests.providers.batch_server import BatchServer
from tests.waiting import PATIENCE_S

MEETINGS = 16
KILLS = ("commit.after_records@1", "batch.after_work@2", "commit.before_commit@3", "")
_MOST_CALLS = 20


def test_a_batch_is_sent_and_paid_for_once_wherever_the_program_is_killed(
    tmp_path: Path, database_url: str | None
) -> None:
    loop = LoopThread()
    loop.start()
    server = BatchServer(BatchBehaviour(looks=2, say=analyse))
    loop.submit(server.__aenter__()).result(timeout=PATIENCE_S)
    try:
        with serve_in_thread({}) as site:
            api = "/api/v2/PublicPortal"
            listed = json.dumps([_list_meeting(number) for number in range(MEETINGS)])
            site.paths[f"{api}/ListUpcomingMeetings"] = serve_page(listed.encode())
            site.paths[f"{api}/ListArchivedMeetings"] = serve_page(b"[]")
            for number in range(MEETINGS):
                said = f"<p>This is the agenda of board number {number}.</p>"
                body = said + "".join(f"<p>{sentence}</p>" for sentence in BUDGET)
                path = f"/Public/CompiledDocument?compileOutputType=1&meetingTemplateId={number}"
                site.paths[path] = serve_page(f"<html><body><main>{body}</main></body>".encode())
            desk = open_desk(tmp_path / "home", site, database_url)
            with (desk.home / "assay.toml").open("a", encoding="utf-8") as settings:
                settings.write(
                    f"[providers.gpt]\nkind = 'openai'\nmodel = 'large'\nkey = 'sk'\n"
                    f"base_url = '{server.url}/v1'\nbatches = true\n"
                )
            engine = sa.create_engine(database_url or f"sqlite:///{desk.home / 'assay.db'}")
            desk.call("civic", "add", CITY, "--vendor", "primegov", "--site", f"http://{HOST}")
            desk.call("civic", "sync", CITY)
            killed = [
                fault
                for fault in KILLS
                if desk.end("civic", "process", CITY, fault=fault).returncode == -9
            ]
            number = 3
            for _ in range(_MOST_CALLS):
                if saved := _read_answers(engine):
                    break
                _make_sendings_old(engine)
                desk.end("civic", "process", CITY, fault=f"commit.after@{number}")
                number += number // 2
            for _ in range(_MOST_CALLS):
                _make_sendings_old(engine)
                desk.call("civic", "process", CITY)
                if len(_read_answers(engine)) == MEETINGS:
                    break
            desk.call("civic", "process", CITY)
    finally:
        loop.submit(server.__aexit__(None, None, None)).result(timeout=PATIENCE_S)
        loop.stop()
    assert len(killed) >= 2, killed
    items = [item for batch in server.books.batches for item in batch.items]
    assert len(items) == len({item.key for item in items}) == MEETINGS
    answers = _read_answers(engine)
    with engine.connect() as connection:
        counted = "SELECT state, basis, COUNT(*) FROM llm_calls GROUP BY 1, 2"
        calls = connection.execute(sa.text(counted)).all()
        dead = connection.execute(sa.text("SELECT COUNT(*) FROM dead_letters")).scalar_one()
    engine.dispose()
    assert [tuple(row) for row in calls] == [("done", "reported", MEETINGS)]
    assert 0 < len(saved) <= len(answers) == MEETINGS
    assert {key: answers[key] for key in saved} == saved
    assert dead == 0


def _make_sendings_old(engine: sa.Engine) -> None:
    """A batch whose sender was killed counts as on its way for minutes; nobody waits for that."""
    with engine.begin() as connection:
        connection.execute(
            sa.text("UPDATE llm_batches SET submitted_ms = 0 WHERE state = 'prepared'")
        )


def _read_answers(engine: sa.Engine) -> dict[str, str]:
    query = "SELECT subject_id, sentences FROM civic_summaries WHERE method = 'gpt/large'"
    with engine.connect() as connection:
        return {row[0]: str(row[1]) for row in connection.execute(sa.text(query))}


def _list_meeting(number: int) -> dict[str, object]:
    paper = {
        "templateId": number,
        "templateName": "Agenda",
        "compileOutputType": 1,
        "publishDate": "1",
    }
    return {
        "id": number,
        "dateTime": f"{date.today() + timedelta(days=9)}T19:00:00",
        "title": f"Board {number}",
        "documentList": [paper],
    }
