"""What README.txt of a release tells recipients to do is done here, snippet by snippet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

import moretta as mo

ROWS = 60


def people() -> pd.DataFrame:
    towns = [f"town {number % 14:02}" for number in range(ROWS)]
    return pd.DataFrame(
        {
            "age": [20 + number * 7 % 40 for number in range(ROWS)],
            "town": towns,
            "zip": [f"0{number % 9}{number % 3}" for number in range(ROWS)],
            "disease": [f"d{number // 3 % 4}" for number in range(ROWS)],
        }
    )


METHODS = {
    "mondrian": mo.KAnonymity(5),
    "anatomy": mo.DistinctLDiversity(2),
    "slicing": mo.LDiverseSlicing(2),
}


@pytest.fixture(params=[(name, form) for name in METHODS for form in ("csv", "parquet")], ids=lambda way: "-".join(way))
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    name, form = request.param
    method = mo.Method("slicing", columns=2, sensitive_column=1) if name == "slicing" else name
    release = mo.publish(
        people(),
        quasi=["age", "town", "zip"],
        sensitive="disease",
        require=METHODS[name],
        method=method,
        format=form,
        seed=1,
    )
    release.save(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out" / "release")
    return tmp_path / "out" / "release"


def snippets(folder: Path) -> dict[str, str]:
    """The indented blocks of the file, each under the line before it."""
    found: dict[str, str] = {}
    title, code, last = "", [], ""
    for line in [*(folder / "README.txt").read_text(encoding="utf-8").splitlines(), "end"]:
        if line.startswith("    "):
            title = title or last
            code.append(line[4:])
        elif line.strip():
            if code:
                found[title] = "\n".join(code)
            title, code, last = "", [], line
    return found


def starting(found: dict[str, str], words: str) -> str:
    return next(code for title, code in found.items() if title.startswith(words))


def test_pandas_and_polars_load_what_was_published(folder: Path) -> None:
    found = snippets(folder)
    with_pandas: dict[str, object] = {}
    exec(starting(found, "pandas"), with_pandas)
    with_polars: dict[str, object] = {}
    exec(starting(found, "polars"), with_polars)
    tables = {name: frame for name, frame in with_pandas.items() if isinstance(frame, pd.DataFrame)}
    assert tables
    for name, frame in tables.items():
        other = with_polars[name]
        assert isinstance(other, pl.DataFrame)
        assert (other.height, other.columns) == (len(frame), list(frame.columns))
        for column in frame.columns:
            assert [str(value) for value in frame[column].dropna()] == [str(v) for v in other[column].drop_nulls()]
        if "zip" in frame:
            assert frame["zip"].astype(str).str.len().min() >= 1
    # What follows works on these frames: groups, weights, ends of intervals, members of sets.
    for title, code in found.items():
        if not title.startswith(("pandas", "polars", "R", "DuckDB", "PostgreSQL")):
            exec(code, with_pandas)
    if "weighted" in with_pandas:
        weighted = with_pandas["weighted"]
        assert isinstance(weighted, pd.DataFrame)
        assert weighted["weight"].sum() == pytest.approx(ROWS)
    if "data" in tables:
        data = with_pandas["data"]
        assert isinstance(data, pd.DataFrame)
        assert data["group"].value_counts().min() >= 5
        assert data["age_middle"].between(20, 60).all()


def test_duckdb_loads_what_was_published(folder: Path) -> None:
    base = duckdb.connect()
    base.execute(starting(snippets(folder), "DuckDB"))
    for (table,) in base.execute("SELECT table_name FROM information_schema.tables").fetchall():
        (rows,) = base.execute(f'SELECT count(*) FROM "{table}"').fetchall()[0]
        file = next(folder.glob(f"{table}.*"))
        assert rows == len(pd.read_csv(file) if file.suffix == ".csv" else pd.read_parquet(file))


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no Rscript")
def test_r_loads_what_was_published(folder: Path) -> None:
    code = starting(snippets(folder), "R")
    if "arrow::" in code:
        pytest.skip("the package arrow of R is not asked for")
    sizes = 'for (name in ls()) cat(name, nrow(get(name)), ncol(get(name)), "\\n")'
    said = subprocess.run(["Rscript", "-e", code, "-e", sizes], check=True, cwd=folder, capture_output=True, text=True)
    loaded = {name: (int(rows), int(columns)) for name, rows, columns in map(str.split, said.stdout.splitlines())}
    assert loaded == {file.stem: pd.read_csv(file, dtype="string").shape for file in folder.glob("*.csv")}
