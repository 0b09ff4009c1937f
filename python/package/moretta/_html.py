"""What notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; numbers to the right."""
    head = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    side = "right" if isinstance(value, (int, float)) and not isinstance(value, bool) else "left"
    return f"<td style='text-align:{side}'>{escape(spelled(value))}</td>"


def spelled(value: object) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{name} = {spelled(one)}" for name, one in value.items() if not isinstance(one, dict))
    return str(value)


def heading(text: str) -> str:
    """A line in bold."""
    return f"<p><b>{escape(text)}</b></p>"
