"""What somebody does at a prompt who has read the first page of the docs, line by line."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import moretta as mo

CommandLine = Any

ROWS = 240
PEOPLE: dict[str, list[Any]] = {
    "age": [20 + n * 7 % 50 for n in range(ROWS)],
    "zip": [f"10{n % 4}0" for n in range(ROWS)],
    "sex": ["F" if n % 2 else "M" for n in range(ROWS)],
    "disease": [("flu", "gout", "asthma")[n // 4 % 3] for n in range(ROWS)],
}


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(PEOPLE), pl.DataFrame(PEOPLE), pa.table(PEOPLE)], ids=["pandas", "polars", "pyarrow"]
)
def test_from_a_data_frame_to_a_checked_release_in_five_lines(frame: Any, tmp_path: Path) -> None:
    release = mo.publish(
        frame,
        quasi=["age", "zip", "sex"],
        sensitive="disease",
        require=[mo.KAnonymity(5), mo.TCloseness(0.2, distance="equal")],
        method="least-loss",
        seed=7,
    )
    assert type(release.table()) is type(frame) and all(type(table) is type(frame) for table in release.tables.values())
    assert release.check().holds and release.audit(frame).holds
    asked = release.query("SELECT AVG(age) WHERE sex = 'F'", frame)
    answer = asked.rows[0].estimates[""]
    women = [age for age, sex in zip(PEOPLE["age"], PEOPLE["sex"], strict=True) if sex == "F"]
    assert answer.exact == pytest.approx(sum(women) / len(women))
    assert isinstance(answer.lower, float) and isinstance(answer.upper, float) and isinstance(answer.exact, float)
    assert answer.lower <= answer.exact <= answer.upper
    release.save(tmp_path / "out")
    assert mo.open(tmp_path / "out").check().demand().holds

    levels = mo.check(release.table(), quasi=["age", "zip", "sex"], sensitive="disease")
    assert levels.k is not None and levels.k >= 5 and levels.sensitive["disease"].t["equal"] <= 0.2
    suggested = mo.inspect(frame).suggested_policy()
    assert set(suggested.roles) == set(PEOPLE)
    grid = [(method, mo.KAnonymity(k)) for method in ("least-loss", "mondrian") for k in (5, 20)]
    comparison = mo.compare(frame, grid, quasi=["age", "zip", "sex"], sensitive="disease")
    assert len(comparison) == 4 and comparison.plot() is not None
    preview = mo.hierarchy.intervals([5, 10, 20]).preview(frame, "age")
    assert len(preview.levels) >= 3


def test_whatever_is_public_has_a_docstring() -> None:
    silent = [name for name in mo.__all__ if not inspect.getdoc(getattr(mo, name))]
    assert silent == []
    classes = [getattr(mo, name) for name in mo.__all__ if isinstance(getattr(mo, name), type)]
    methods = [
        f"{one.__name__}.{name}"
        for one in classes
        for name, value in vars(one).items()
        if not name.startswith("_") and callable(value) and not inspect.getdoc(value)
    ]
    assert methods == []


def test_the_console_script_is_the_command_line() -> None:
    script = Path(sys.executable).parent / "moretta"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    module = subprocess.run([sys.executable, "-m", "moretta", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == module.stdout and done.stdout.startswith("moretta ")


CALLS = {
    "check": "mo.check(people, quasi=['age', 'zip'], sensitive='disease')",
    "verify": "release.check(people)",
    "audit": "release.audit(people)",
    "compare": "mo.compare(people, [('mondrian', mo.KAnonymity(k)) for k in (5, 10, 20, 40)], quasi=['age', 'zip'], sensitive='disease')",
    "inspect": "mo.inspect(people)",
}

SESSION = """
import sys, time
import polars as pl
import moretta as mo

n = 30_000
people = pl.DataFrame({{"age": [(i * 7919) % 97 for i in range(n)], "zip": [(i * 104729) % 997 for i in range(n)],
                       "disease": [str((i * 17) % 23) for i in range(n)]}})
release = mo.publish(people, quasi=["age", "zip"], sensitive="disease", require=mo.KAnonymity(5), method="mondrian", seed=1)
print("ready", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("name", CALLS)
def test_control_c_stops_every_long_call_within_a_second(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SESSION.format(call=CALLS[name])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.6)
        sent = time.time()
        os.kill(process.pid, signal.SIGINT)
        word, stopped = process.stdout.readline().split()
        assert word == "interrupted" and float(stopped) - sent < 1.0
        assert process.wait(20) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_gets_a_bar_that_moves_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    from moretta import _call

    drawn: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            drawn.append(page)

    def display(page: str, display_id: bool) -> Handle:
        drawn.append(page)
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    shown = types.ModuleType("IPython.display")
    shown.HTML, shown.display = str, display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    monkeypatch.setattr(_call, "_DELAY", 0.0)
    n = 20_000
    people = pl.DataFrame({"age": [i * 7919 % 97 for i in range(n)], "disease": [str(i % 23) for i in range(n)]})
    mo.publish(people, quasi="age", sensitive="disease", require=mo.KAnonymity(5))
    if drawn:
        assert all("<progress" in page for page in drawn[:-1]) and drawn[-1] == ""
    bar = _call._NotebookBar()
    drawn.clear()
    bar("partitioning", 0.5)
    bar("<b>", None)
    bar.close()
    assert 'value="0.5000"' in drawn[0] and "partitioning" in drawn[0] and "&lt;b&gt;" in drawn[1] and drawn[2] == ""


def test_some_attacks_only_as_on_the_command_line(
    release: mo.Release, frame: pl.DataFrame, published: Path, patients: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    original = ["--original", patients / "policy.toml", "--out", tmp_path]
    theirs = command_line("audit", published, *original, "--only", "homogeneity")
    assert release.audit(frame, only=["homogeneity"]).to_dict() == theirs
    theirs = command_line("audit", published, *original, "--skip", "homogeneity,background-priors")
    assert mo.audit(release, frame, skip=["homogeneity", "background-priors"]).to_dict() == theirs
    with pytest.raises(mo.WrongInput, match="homogenity"):
        release.audit(frame, only=["homogenity"])
    with pytest.raises(mo.WrongInput, match="either only or skip"):
        release.audit(frame, only=["homogeneity"], skip=["re-identification"])


def test_memory_and_bounds_do_not_change_the_release(
    frame: pl.DataFrame, policy: mo.Policy, release: mo.Release
) -> None:
    made = mo.publish(frame, policy, seed=7, memory=64 << 20, bound=True)
    assert made.table().equals(release.table()) and made.report is not None and release.report is not None
    assert made.report.bound is not None and made.report.loss is not None
    assert 0 <= made.report.bound <= made.report.loss and release.report.bound is None


def test_releases_with_one_key_can_be_linked(tmp_path: Path) -> None:
    people = pl.DataFrame({**PEOPLE, "id": [f"P{n}" for n in range(ROWS)]})

    def pseudonyms(**more: Any) -> list[str]:
        release = mo.publish(
            people,
            identifier=mo.Attribute("id", pseudonym=True),
            quasi=["age", "zip", "sex"],
            sensitive="disease",
            require=mo.KAnonymity(5),
            **more,
        )
        release.save(tmp_path / f"out-{len(list(tmp_path.iterdir()))}")
        return sorted(release.table()["id"].to_list())

    first = pseudonyms()
    [key] = tmp_path.glob("out-0/private/*key*")
    assert pseudonyms(pseudonym_key=key) == first != pseudonyms()


@pytest.mark.parametrize("dialect", ["common", "postgresql", "sqlite", "duckdb"])
def test_sql_for_a_database_is_that_of_the_command_line(release: mo.Release, published: Path, dialect: Any) -> None:
    command = [sys.executable, "-m", "moretta", "export", str(published), "--sql", "--dialect", dialect]
    assert release.to_sql(dialect) == subprocess.run(command, capture_output=True, text=True, check=True).stdout
    with pytest.raises(mo.WrongInput, match="no dialect"):
        release.to_sql("oracle")  # type: ignore[arg-type]
