"""`watch`: from a watch to a mail, as people type it."""

import json
import signal
from pathlib import Path

from tests.cli.calls import answer, call, real, refusal
from tests.cli.conftest import Watching
from tests.gazette.world import World
from tests.notices.mail_server import MailServer, mail_server

ME = "me@example.org"


def _mail_through(mail: MailServer, home: Path) -> None:
    """Settings come before the tables of the file."""
    file = home / "assay.toml"
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in mail.settings.items()]
    file.write_text("".join(lines) + file.read_text())


def test_a_run_mails_what_is_new_and_the_next_one_what_changed(watching: Watching) -> None:
    home = watching.home
    with mail_server() as mail:
        _mail_through(mail, home)
        added = answer(home, "watch", "add", "--source", "gazette", "--to", ME)
        assert (added["source_slug"], added["channels"]) == ("gazette", [ME])
        ended = real(home, "run", "--json")
        assert ended.code == 0, ended
        (run,) = ended.value["runs"]
        assert (run["state"], run["jobs"]["deliver"]) == ("sealed", {"done": 1})
        assert len(mail.mails) == 1 and mail.subjects()[0].endswith("changes: source gazette")
        watching.server.show(World(seed=7, documents=20, day=2))
        assert real(home, "run", "--json").code == 0
        assert len(mail.mails) == 2 and "changed document: " in mail.text()
    (listed,) = answer(home, "watch", "list")
    assert listed["waiting"] == 0 and listed["sent"] > 1
    shown = answer(home, "watch", "show", added["watch_id"][:5])
    assert shown["failed"] == [] and shown["recent"][0]["state"] == "SENT"
    assert "SENT" in call(home, "watch", "show", added["watch_id"]).stdout


def test_a_dead_mail_server_leaves_a_letter_and_a_kill_repeats_it_once(watching: Watching) -> None:
    home = watching.home
    with mail_server() as mail:
        _mail_through(mail, home)
        mail.refusals["MAIL"] = b"451 later"
        call(home, "watch", "add", "--source", "gazette", "--to", ME)
        ended = real(home, "run")
        assert ended.code == 5 and "1 dead letter" in ended.out
        (letter,) = answer(home, "dead", "list")
        assert letter["stage"] == "deliver" and "451 later" in letter["error_message"]
        assert "not delivered: " in call(home, "watch", "show", "w_").stdout
        mail.refusals.clear()
        call(home, "dead", "retry", "--all")
        # Killed between sending and recording: the only commit before this run's own jobs.
        killed = real(home, "run", ASSAY_FAULT="commit.before@1")
        assert killed.code == -signal.SIGKILL and len(mail.mails) == 1
        assert answer(home, "watch", "list")[0]["sent"] == 0
        assert real(home, "run").code == 0
        assert real(home, "run").code == 0
        first, again = mail.mails
        assert first["Message-ID"] == again["Message-ID"], "a reader shows one of them"
        assert answer(home, "watch", "list")[0]["waiting"] == 0


def test_a_test_message_says_exactly_what_failed(watching: Watching, tmp_path: Path) -> None:
    home = watching.home
    with (home / "assay.toml").open("a") as file:
        file.write(
            '[channels.team]\nkind = "webhook"\nurl = "http://127.0.0.1:9/s3cret"\n'
            f'[channels.script]\nkind = "command"\ncommand = ["{tmp_path / "nothing"}"]\n'
        )
    with mail_server() as mail:
        _mail_through(mail, home)
        assert call(home, "watch", "test", ME).stdout == f"{ME}: delivered\n"
        assert mail.subjects() == ["Test of a notification channel"]
        told = call(home, "watch", "test")
    assert told.exit_code == 5 and "s3cret" not in told.output
    assert "team: Webhook 'team' at 127.0.0.1 is at 127.0.0.1, a loopback address." in told.output
    assert "add it to fetch_allow_private" in told.output
    assert "script: Command 'script' cannot be started: No such file" in told.output


def test_without_a_mail_server_a_test_says_so(watching: Watching) -> None:
    told = call(watching.home, "watch", "test", ME)
    assert told.exit_code == 5
    assert "No mail server is set. Set smtp_host and smtp_sender in assay.toml." in told.output


def test_what_cannot_be_watched_is_refused(watching: Watching) -> None:
    home = watching.home
    assert refusal(home, "watch", "add")[1]["message"] == "There is nothing to watch."
    unknown = refusal(home, "watch", "add", "--source", "gazete")[1]
    assert "Did you mean 'gazette'?" in unknown["advice"]
    assert refusal(home, "watch", "add", "a")[1]["message"] == "'a' is too short to be found."
    nobody = refusal(home, "watch", "add", "tax", "--to", "boss")[1]
    assert "[channels.boss]" in nobody["advice"]
    assert refusal(home, "watch", "show", "w_none")[1]["code"] == "not_found"


def test_a_watch_can_be_changed_and_removed(watching: Watching) -> None:
    home = watching.home
    first = answer(home, "watch", "add", "tax rate", "vat*")
    again = answer(home, "watch", "add", "vat*", "tax rate", "--digest", "weekly", "--show", "diff")
    assert again["watch_id"] == first["watch_id"] and again["digest"] == "weekly"
    assert '"tax rate" vat*' in call(home, "watch", "list").stdout
    removed = call(home, "watch", "remove", first["watch_id"])
    assert removed.stdout.startswith("No longer watching ")
    assert call(home, "watch", "list").stdout.startswith("No watches yet.")


def test_secrets_of_channels_are_not_shown(watching: Watching) -> None:
    home = watching.home
    with (home / "assay.toml").open("a") as file:
        file.write('[channels.team]\nkind = "webhook"\nurl = "https://hooks.test/s3cret"\n')
    shown = call(home, "doctor", "--settings", env={"ASSAY_SMTP_PASSWORD": "pa55word"})
    assert "smtp_password" in shown.output
    assert "pa55word" not in shown.output and "s3cret" not in shown.output
    with (home / "assay.toml").open("a") as file:
        file.write('[channels.two]\nkind = "webhook"\nurl = "ftp://hooks.test/s3cret"\n')
    wrong = call(home, "watch", "list")
    assert wrong.exit_code != 0 and "s3cret" not in wrong.output
    assert "channels.two.url" in wrong.output


def test_a_document_is_watched_by_its_id_or_its_address(watching: Watching) -> None:
    home = watching.home
    assert real(home, "run", "--json").code == 0
    listed = answer(home, "documents", "list")[0]
    by_id = answer(home, "watch", "add", "--document", listed["doc_id"][:12])
    assert by_id["url"] == listed["url"]
    assert answer(home, "watch", "add", "--document", listed["url"]) == by_id
    _, error = refusal(home, "watch", "add", "--document", "an-act")
    assert error["code"] == "not_found"
