"""The tutorial runs, cell by cell, and what it shows can be shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).resolve().parent.parent


def test_the_tutorial_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PYTHON)
    cells = json.loads((PYTHON / "tutorial.ipynb").read_text())["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            shown.append(run("".join(cell["source"]), names, f"cell {number}"))
    assert sum("<table>" in page for page in shown) >= 4


def run(source: str, names: dict[str, Any], name: str) -> str:
    """Runs a cell, and gives what a notebook would show of its last expression."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if not isinstance(last, ast.Expr):
        return ""
    value = eval(compile(ast.Expression(last.value), name, "eval"), names)
    html = getattr(value, "_repr_html_", None)
    return str(html() if html is not None else repr(value))
