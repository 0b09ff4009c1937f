"""The bundled hospital, as every kind of frame, and the command line of the wheel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import moretta as mo

ROOT = Path(__file__).resolve().parent.parent.parent
HOSPITAL = ROOT / "examples" / "hospital"

CommandLine = Callable[..., Any]


@pytest.fixture(scope="session")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with six hundred patients of the hospital, their policy and its hierarchies."""
    folder = tmp_path_factory.mktemp("hospital")
    lines = (HOSPITAL / "patients.csv").read_text().splitlines(keepends=True)
    (folder / "patients.csv").write_text("".join(lines[:601]))
    (folder / "policy.toml").write_text((HOSPITAL / "policy.toml").read_text())
    (folder / "hierarchies").mkdir()
    for file in (HOSPITAL / "hierarchies").iterdir():
        (folder / "hierarchies" / file.name).write_text(file.read_text())
    return folder


@pytest.fixture(scope="session")
def policy(patients: Path) -> mo.Policy:
    """The policy of the hospital."""
    return mo.Policy.load(patients / "policy.toml")


@pytest.fixture(scope="session")
def frame(patients: Path) -> pl.DataFrame:
    """The patients as a polars frame."""
    return pl.read_csv(patients / "patients.csv")


@pytest.fixture(scope="session")
def pandas_frame(patients: Path) -> pd.DataFrame:
    """The patients as a pandas frame."""
    return pd.read_csv(patients / "patients.csv")


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    """Runs the command line of the wheel, and gives the JSON that it prints, without the version of its shape."""

    def run(*arguments: object, status: int = 0) -> Any:
        command = [sys.executable, "-m", "moretta", "--json", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == status, done.stderr
        answer = json.loads(done.stdout)
        answer.pop("schema", None)
        return answer

    return run


@pytest.fixture(scope="session")
def published(patients: Path, command_line: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that the command line made with the seed 7."""
    folder = tmp_path_factory.mktemp("published") / "out"
    command_line("publish", patients / "policy.toml", "--out", folder, "--seed", 7)
    return folder


@pytest.fixture(scope="session")
def release(frame: pl.DataFrame, policy: mo.Policy) -> mo.Release:
    """The same release, made from a frame."""
    return mo.publish(frame, policy, seed=7)
