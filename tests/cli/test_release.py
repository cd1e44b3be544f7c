"""`assay release` and `assay audit`, from making a release to taking it back."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from assay.store import guards, truth
from assay.store.dump import dump_canonical
from tests.cli.calls import QUICK, answer, call, refusal
from tests.ruling.release_builders import ALL, FORUM, KEEPING, RATE, THRESHOLD, store

Open = Callable[[Path], App]
UNLIMITED = "[queues.release]\nrate = 0\n"


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A home with approved rules, and one with a release of them; tests get copies."""
    filled, released = (tmp_path_factory.mktemp(name) / "home" for name in ("filled", "released"))
    init_home(load_settings(home=filled, env={}))
    (filled / "assay.toml").write_text(UNLIMITED)
    with App(load_settings(home=filled, env={})) as app:
        app.migrate()
        store(app, *ALL)
    shutil.copytree(filled, released)
    made = answer(released, "release", "create", "--by", "iva", env=QUICK)
    assert made["release"]["version"] == "1.0.0"
    return {"filled": filled, "released": released}


@pytest.fixture
def filled(homes: dict[str, Path], home: Path) -> Path:
    return shutil.copytree(homes["filled"], home)


@pytest.fixture
def released(homes: dict[str, Path], home: Path) -> Path:
    return shutil.copytree(homes["released"], home)


def dump(app: App) -> bytes:
    with app.engine.connect() as connection:
        return b"".join(dump_canonical(connection))


def test_where_several_packs_have_rules_one_must_be_named(filled: Path, opened: Open) -> None:
    with opened(filled).engine.begin() as connection:
        (row,) = connection.execute(sa.select(truth.rule).limit(1)).mappings()
        connection.execute(
            sa.insert(truth.rule).values({**row, "rule_id": "rl_other", "pack": "civic"})
        )
    code, error = refusal(filled, "release", "create", "--dry-run")
    assert (code, error["message"]) == (3, "Several packs have rules: civic, regulatory.")
    assert "--pack" in error["advice"]
    named = call(filled, "release", "create", "--dry-run", "--pack", "regulatory")
    assert "The release would be regulatory 1.0.0." in named.stdout


def test_without_any_rule_there_is_nothing_to_release(home: Path) -> None:
    call(home, "init")
    code, error = refusal(home, "release", "create")
    assert (code, error["code"]) == (3, "not_found")
    assert error["message"] == "Nothing to release: no pack has rules yet."


def test_from_nothing_to_a_release_and_back(filled: Path, opened: Open) -> None:
    weak = KEEPING.but(value="7", sources=(FORUM,))
    store(opened(filled), weak)
    assert answer(filled, "release", "list") == []
    before = dump(opened(filled))
    dry = call(filled, "release", "create", "--dry-run")
    assert dry.exit_code == 0
    assert "The release would be regulatory 1.0.0." in dry.stdout
    assert f"held back  pdv.retention_period ({weak.rule_id}): only forum supports it" in dry.stdout
    assert dump(opened(filled)) == before
    told = call(filled, "release", "create", "--by", "iva", env=QUICK)
    assert told.exit_code == 0
    assert "Released regulatory 1.0.0." in told.stdout
    assert "added    pdv.rate (T0): 25 %, from 2013-01-01, always" in told.stdout
    assert "held back" in told.stdout
    again = answer(filled, "release", "create")
    assert (again["released"], again["release"]) == (False, None)
    assert [fault["gate"] for fault in again["held_back"]] == ["evidence_is_strong"]
    done = answer(filled, "release", "rollback", "1.0.0", "--by", "ana", "--note", "a test")
    assert (done["rolled_back"], done["current"], len(done["reopened"])) == (["1.0.0"], None, 4)
    (listed,) = answer(filled, "release", "list")
    assert listed["state"] == "ROLLED_BACK"
    assert "## 1.0.0 (rolled back)" in call(filled, "release", "changelog").stdout
    entries = answer(filled, "audit", "list", "--subject", listed["release_id"])
    assert [entry["action"] for entry in entries] == ["release_published", "release_rolled_back"]


def test_a_refused_release_says_all_and_changes_nothing(filled: Path, opened: Open) -> None:
    pending = RATE.but(value="13", status="PENDING_REVIEW", approved_by=None)
    store(opened(filled), pending)
    before = dump(opened(filled))
    code, error = refusal(filled, "release", "create", "--rule", pending.rule_id, "--rule", "rl_x")
    assert (code, error["code"]) == (3, "release_refused")
    assert "it is PENDING_REVIEW" in error["message"] and "rl_x" in error["message"]
    assert RATE.rule_id not in error["message"]
    dry = call(filled, "release", "create", "--dry-run", "--rule", pending.rule_id)
    assert dry.exit_code == 3
    assert "The release would be refused" in dry.stdout
    assert dump(opened(filled)) == before
    assert answer(filled, "runs", "list") == []


def test_what_is_released_can_be_seen_checked_and_given_away(
    released: Path, tmp_path: Path
) -> None:
    shown = answer(released, "release", "show")
    assert [rule["concept"] for rule in shown["rules"]] == [
        "pdv.rate", "pdv.reduced_rate", "pdv.retention_period", "pdv.threshold",
    ]  # fmt: skip
    assert "60000 EUR, from 2025-01-01, always" in call(released, "release", "show").stdout
    checked = call(released, "release", "verify", "1.0.0")
    assert checked.exit_code == 0
    assert "4 rules, 6 quotes and 6 documents checked" in checked.stdout
    folders = {}
    for form in ("bundle", "csv", "parquet", "jsonld", "parameters"):
        folder = tmp_path / "out" / form
        folders[form] = answer(released, "release", "export", str(folder), "--format", form)
    assert folders["csv"]["files"] == ["rules.csv"]
    assert "pdv/rate.yaml" in folders["parameters"]["files"]
    assert len(folders["bundle"]["files"]) == 3 + 6 + 6
    assert "## 1.0.0" in call(released, "release", "changelog", "1.0.0").stdout


def test_a_bundle_is_checked_where_there_is_no_home(released: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    made = answer(released, "release", "export", str(bundle))
    nowhere = tmp_path / "nowhere"
    arguments = ("release", "verify", str(bundle), "--expect", made["manifest_hash"])
    assert answer(nowhere, *arguments)["ok"] is True
    assert not nowhere.exists()
    file = next(iter(sorted((bundle / "texts").iterdir())))
    file.write_text("altered")
    told = call(nowhere, *arguments)
    assert told.exit_code == 5
    assert f"fail  text {file.name} was altered." in told.stdout
    code, error = refusal(nowhere, "release", "verify", str(tmp_path / "nothing"))
    assert (code, error["code"]) == (3, "invalid_input")


def test_the_audit_log_is_checked(released: Path, opened: Open) -> None:
    whole = answer(released, "audit", "verify")
    assert (whole["ok"], whole["entries"]) == (True, 6)
    assert "6 entries, the chain is intact" in call(released, "audit", "verify").stdout
    assert answer(released, "audit", "verify", "--known", whole["head"])["ok"] is True
    unknown = call(released, "audit", "verify", "--known", "f" * 64)
    assert unknown.exit_code == 5
    assert "this is a different log" in unknown.stdout
    with opened(released).engine.begin() as connection:
        guards.lift_guards(connection)
        connection.execute(
            sa.update(truth.audit_log).where(truth.audit_log.c.seq == 3).values(actor="mallory")
        )
    told = call(released, "audit", "verify")
    assert told.exit_code == 5
    assert "fail  entry 3 was altered: rule_published of rl_" in told.stdout
    assert call(released, "release", "verify").exit_code == 5


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["release", "verify", "9.9.9"], 3, "There is no release 9.9.9"),
        (["release", "show", "newest"], 3, "'newest' is not a version"),
        (["release", "rollback", "9.9.9", "--by", "ana"], 3, "There is no release 9.9.9"),
        (["release", "export", "x", "--format", "xml"], 2, "xml"),
        (["release", "verify", "--expect", "abc"], 2, "works only with a folder"),
        (["release", "changelog"], 3, "No release yet"),
    ],
)
def test_bad_input_is_told_and_changes_nothing(
    filled: Path, opened: Open, arguments: list[str], code: int, says: str
) -> None:
    before = dump(opened(filled))
    ended, error = refusal(filled, *arguments)
    assert (ended, says in error["message"]) == (code, True), error
    assert dump(opened(filled)) == before


def test_one_rule_can_be_released_by_itself(filled: Path) -> None:
    made = answer(filled, "release", "create", "--rule", THRESHOLD.rule_id, env=QUICK)
    assert (made["release"]["version"], made["release"]["rule_count"]) == ("0.1.0", 1)
