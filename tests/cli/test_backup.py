"""`assay backup` and `assay restore`, as they are typed."""

import json
from pathlib import Path

from tests.cli.calls import answer, call, refusal


def test_a_home_is_backed_up_verified_and_restored(played: Path, tmp_path: Path) -> None:
    backups, home = str(tmp_path / "backups"), tmp_path / "restored"
    made = answer(played, "backup", "create", backups)
    assert (made["database"], made["left_out"], made["linked"]) == ("sqlite", [], 0)
    listed = answer(played, "backup", "list", backups)
    assert [each["backup"] for each in listed] == [made["backup"]]
    assert answer(played, "backup", "verify", backups)["faults"] == []
    restored = answer(home, "restore", backups)
    assert restored["home"] == str(home)
    assert answer(home, "store", "dump") == answer(played, "store", "dump")
    assert call(home, "store", "check").exit_code == 0
    assert call(home, "runs", "verify").exit_code == 0
    said = call(played, "backup", "create", backups).stdout
    assert "of them linked" in said
    assert "none altered" in call(played, "backup", "verify", backups).stdout


def test_a_damaged_backup_is_named_and_not_restored(played: Path, tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    folder = Path(answer(played, "backup", "create", str(backups))["backup"])
    blob = next(folder.glob("home/blobs/*/*"))
    blob.chmod(0o644)
    blob.write_bytes(b"forged")
    result = call(played, "backup", "verify", str(backups), "--json")
    assert result.exit_code == 5
    path = blob.relative_to(folder).as_posix()
    assert json.loads(result.stdout)["faults"] == [f"{path} was altered"]
    assert f"{path} was altered" in call(played, "backup", "verify", str(folder)).stdout
    code, error = refusal(tmp_path / "restored", "restore", str(backups))
    assert (code, error["code"]) == (3, "backup_damaged")
    assert path in error["message"]
    assert not (tmp_path / "restored").exists()


def test_what_is_no_backup_is_refused(played: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, expected in (("empty", "backup_damaged"), ("absent", "not_found")):
        _, error = refusal(tmp_path / "restored", "restore", str(tmp_path / folder))
        assert error["code"] == expected
    assert "There is no backup" in call(played, "backup", "list", str(tmp_path / "empty")).stdout
    code, error = refusal(tmp_path / "nothing", "backup", "create", str(tmp_path / "backups"))
    assert (code, error["code"]) == (4, "schema_missing")
    code, error = refusal(played, "restore", str(tmp_path / "empty"))
    assert error["code"] == "backup_damaged"
