"""What is measured, on the terminal and, where that is asked for, in docs/python.md."""

from __future__ import annotations

import time
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"
BEGIN, END = "<!-- bench: begin -->\n", "<!-- bench: end -->\n"

LIMIT = 480.0
"""All parts together may take so many seconds; one that would take longer is given up."""

_begun = time.monotonic()
_said: list[str] = []


def left() -> float:
    """The seconds that are left."""
    return max(1.0, LIMIT - (time.monotonic() - _begun))


def say(line: str = "") -> None:
    """A line for people who wait, and for the page."""
    print(line, flush=True)
    _said.append(line)


def show(rows: list[tuple[object, ...]]) -> None:
    """Rows of a table in Markdown, the first of which is its head."""
    for number, row in enumerate(rows):
        say("| " + " | ".join(f"{one:.4g}" if isinstance(one, float) else str(one) for one in row) + " |")
        if number == 0:
            say("|" + "---|" * len(row))
    say()


def write() -> None:
    """Puts all that was said into the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    text = "\n".join(_said).strip()
    PAGE.write_text(f"{before}{BEGIN}{text}\n{END}{after}", encoding="utf-8")
    print(f"written into {PAGE.name}")
