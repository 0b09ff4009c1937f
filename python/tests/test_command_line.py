"""Every call gives the command line's answer on the same seed."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import moretta as mo

CommandLine = Any


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def without_clocks(text: bytes) -> Any:
    """A report without what differs from run to run: seconds and memory."""
    report = json.loads(text)
    return {name: value for name, value in report.items() if name not in ("seconds", "peak_rss_mb")}


def assert_same_folder(one: Path, other: Path) -> None:
    ours, theirs = files(one), files(other)
    assert ours.keys() == theirs.keys()
    clocks = {"private/report.json", "private/report.html"}
    for name in ours.keys() - clocks:
        assert ours[name] == theirs[name], name
    assert without_clocks(ours["private/report.json"]) == without_clocks(theirs["private/report.json"])


def test_a_saved_release_is_byte_for_byte_that_of_the_command_line(
    release: mo.Release, published: Path, tmp_path: Path
) -> None:
    release.save(tmp_path / "out")
    assert_same_folder(tmp_path / "out", published)


def test_publishing_into_a_folder_is_the_same(
    frame: pl.DataFrame, policy: mo.Policy, published: Path, tmp_path: Path
) -> None:
    mo.publish(frame, policy, seed=7, folder=tmp_path / "out")
    assert_same_folder(tmp_path / "out", published)


def test_the_table_that_a_policy_names_is_the_same(policy: mo.Policy, published: Path, tmp_path: Path) -> None:
    mo.publish(policy=policy, seed=7, folder=tmp_path / "out")
    assert_same_folder(tmp_path / "out", published)


def test_the_report(release: mo.Release, published: Path) -> None:
    assert release.report is not None
    written = without_clocks((published / "private" / "report.json").read_bytes())
    shown = release.report.to_dict()
    assert {name: value for name, value in shown.items() if name not in ("seconds", "peak_rss_mb")} == {
        name: value for name, value in written.items() if name in shown
    }


def test_a_folder_of_the_command_line_is_opened(published: Path, release: mo.Release) -> None:
    opened = mo.open(published)
    assert opened.manifest == release.manifest
    assert (opened.kind, opened.method, opened.people, opened.unit) == ("generalized", "least-loss", 600, "people")
    assert pl.DataFrame(opened.table()).equals(release.table())


def test_a_folder_of_python_is_checked_by_the_command_line(
    release: mo.Release, tmp_path: Path, command_line: CommandLine
) -> None:
    release.save(tmp_path / "out")
    assert release.check().to_dict() == command_line("check", tmp_path / "out")


def test_check_beside_the_original(
    release: mo.Release, frame: pl.DataFrame, published: Path, patients: Path, command_line: CommandLine
) -> None:
    theirs = command_line("check", published, "--original", patients / "policy.toml")
    assert release.check(frame).to_dict() == theirs
    assert release.check(frame).demand().holds


def test_levels_of_any_table(published: Path, patients: Path, policy: mo.Policy, command_line: CommandLine) -> None:
    data = published / "release" / "data.csv"
    theirs = command_line("check", data, "--policy", patients / "policy.toml")
    assert mo.check(data, policy).to_dict() == theirs
    texts = pl.read_csv(data, infer_schema=False)
    assert mo.check(texts, policy).to_dict() == theirs


def test_audit(
    release: mo.Release, frame: pl.DataFrame, published: Path, patients: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    theirs = command_line("audit", published, "--original", patients / "policy.toml", "--out", tmp_path)
    found = release.audit(frame, name_people_in=tmp_path / "ours")
    assert found.to_dict() == theirs
    assert {one.attack for one in found.beyond_promise} <= {one.attack for one in found.attacks}
    name = "audit.json"
    assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "private" / name).read_bytes()


def test_audit_with_knowledge_and_a_population(
    release: mo.Release, frame: pl.DataFrame, published: Path, patients: Path, tmp_path: Path, command_line: CommandLine
) -> None:
    told = ["--knowledge", "rules=0.8", "--knowledge", "bandwidth=inf", "--knowledge", "reasoning=omega"]
    original = ["--original", patients / "policy.toml", "--out", tmp_path]
    theirs = command_line("audit", published, *original, "--population", 70_000, *told)
    knowledge = mo.Knowledge(rules=0.8, bandwidths=[float("inf")], reasoning="omega")
    assert release.audit(frame, population=70_000, knowledge=knowledge).to_dict() == theirs


def test_audit_of_a_foreign_table(
    published: Path, patients: Path, frame: pl.DataFrame, policy: mo.Policy, tmp_path: Path, command_line: CommandLine
) -> None:
    data = published / "release" / "data.csv"
    theirs = command_line("audit", data, "--policy", patients / "policy.toml", "--out", tmp_path)
    foreign = pl.read_csv(data, infer_schema=False)
    assert mo.audit(foreign, frame, policy).to_dict() == theirs


QUESTIONS = [
    "SELECT COUNT(*) WHERE sex = 'female'",
    "SELECT AVG(age), COUNT(*) WHERE age >= 50 GROUP BY ward",
    "SELECT MIN(admission_date), MAX(admission_date) WHERE diagnosis = 'influenza'",
    "SELECT COUNT(*) GROUP BY LEVEL(profession, 2)",
]


@pytest.mark.parametrize("sql", QUESTIONS)
def test_questions(
    release: mo.Release, frame: pl.DataFrame, published: Path, patients: Path, sql: str, command_line: CommandLine
) -> None:
    theirs = command_line("query", published, sql)
    theirs.pop("seconds")
    assert release.query(sql).to_dict() == theirs
    beside = command_line("query", published, sql, "--original", patients / "policy.toml")
    beside.pop("seconds")
    assert release.query(sql, frame).to_dict() == beside


def test_random_questions(
    release: mo.Release, frame: pl.DataFrame, published: Path, patients: Path, command_line: CommandLine
) -> None:
    spec = "dim=2,sel=0.1,queries=50,seed=3"
    theirs = command_line("query", published, "--workload", spec, "--original", patients / "policy.toml")
    ours = release.query_errors(frame, dimension=2, selectivity=0.1, queries=50, seed=3)
    assert ours.mean == pytest.approx(_found(theirs, "mean")) and ours.median == pytest.approx(_found(theirs, "median"))


def _found(tree: Any, key: str) -> Any:
    if isinstance(tree, dict):
        if key in tree:
            return tree[key]
        for value in tree.values():
            found = _found(value, key)
            if found is not None:
                return found
    return None


def test_inspect(patients: Path, command_line: CommandLine) -> None:
    table = patients / "patients.csv"
    found = mo.inspect(table)
    assert found.to_dict() == command_line("inspect", table)
    assert found.suggested_toml(str(table)) == command_line("init", table)["policy"]


def test_inspect_of_a_frame(frame: pl.DataFrame, patients: Path) -> None:
    found, of_file = mo.inspect(frame), mo.inspect(patients / "patients.csv")
    assert [(one.name, one.type, one.role) for one in found.columns] == [
        (one.name, one.type, one.role) for one in of_file.columns
    ]
    assert found.suggested_policy().roles == {one.name: one.role for one in found.columns}


def test_rules(frame: pl.DataFrame, patients: Path, policy: mo.Policy, command_line: CommandLine) -> None:
    theirs = command_line("inspect", patients / "patients.csv", "--rules", patients / "policy.toml")
    assert mo.rules(frame, policy) == theirs["sensitive"]


PLAN = """
policy = "policy.toml"

[[grid]]
method  = "mondrian"
require = { model = "k-anonymity", k = [5, 20] }
"""


def test_compare_plan(patients: Path, command_line: CommandLine) -> None:
    plan = patients / "plan.toml"
    plan.write_text(PLAN)
    theirs = command_line("compare", plan, "--seed", 3)
    ours = mo.compare_plan(plan, seed=3)
    assert [_timeless(one) for one in ours.to_dict()["points"]] == [_timeless(one) for one in theirs["points"]]
    assert ours.knee == theirs["knee"]


def test_compare_of_a_frame_is_that_of_the_plan(frame: pl.DataFrame, policy: mo.Policy, patients: Path) -> None:
    grid = [("mondrian", mo.KAnonymity(k)) for k in (5, 20)]
    ours = mo.compare(frame, grid, policy, seed=3)
    (patients / "again.toml").write_text(PLAN)
    by_plan = mo.compare_plan(patients / "again.toml", seed=3)
    assert [one.p_loss for one in ours] == [one.p_loss for one in by_plan]
    assert ours.policy(1).to_dict()["require"] == [{"model": "k-anonymity", "k": 20}]
    rows = list(csv.DictReader(ours.to_csv().splitlines()))
    assert len(rows) == len(ours) == 2 and ours.to_svg().startswith("<svg")


def _timeless(point: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in point.items() if name != "seconds"}


def test_sql(release: mo.Release, published: Path) -> None:
    command = [sys.executable, "-m", "moretta", "export", str(published), "--sql"]
    assert release.to_sql() == subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_catalogue(command_line: CommandLine) -> None:
    entries = command_line("explain")["entries"]
    assert [(one.kind, one.name) for one in mo.catalogue()] == [(one["kind"], one["name"]) for one in entries]


def test_usage_and_exit_status(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "moretta", *words], capture_output=True, text=True, check=False)

    assert run("--version").stdout.startswith("moretta ")
    assert run("--help").returncode == 0
    assert run("no-such-command").returncode == 2
    wrong = run("check", str(tmp_path))
    assert wrong.returncode == 2 and "error:" in wrong.stderr
