"""How a call is carried out: seed, threads, progress, logging."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from html import escape
from importlib import import_module
from typing import Any, Literal, TextIO, TypeAlias

from . import _moretta as native

logger = logging.getLogger("moretta")

Seed: TypeAlias = int | str
"""What chance starts from: a number, or ``0x`` and up to 32 hexadecimal digits. It stays as private as the table."""

Stage: TypeAlias = tuple[list[str], float | None, float]
"""A stage of the work: what it is a part of and its name, the share that is done where that is known, seconds."""

Progress: TypeAlias = bool | Callable[[str, float | None], None] | None
"""``True`` for a bar, ``False`` for none, ``None`` for a bar where somebody sees it, or a function of a stage and its share."""

_DELAY = 1.0
_WIDTH = 32


def make(
    seed: Seed | None = None,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    memory: int | None = None,
    bound: bool = False,
) -> native.Call:
    """A call of the native module."""
    show = _shown(progress)
    watched = show is not None or logger.isEnabledFor(logging.DEBUG)
    return native.Call(_spelled(seed), threads, _Watcher(show) if watched else None, cancel, memory or 0, bound)


def _spelled(seed: Seed | None) -> str | None:
    # Numbers of more than 64 bits are written in hexadecimal.
    return hex(seed) if isinstance(seed, int) and seed >= 0 else None if seed is None else str(seed)


def _shown(progress: Progress) -> Callable[[str, float | None], None] | None:
    if callable(progress):
        return progress
    if progress is False:
        return None
    if _in_notebook():
        return _NotebookBar()
    if progress or sys.stderr.isatty():
        return _TerminalBar(sys.stderr)
    return None


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class _Watcher:
    """Hands stages on to a bar, and to the log when they have ended; wipes the bar when the call has."""

    def __init__(self, show: Callable[[str, float | None], None] | None) -> None:
        self._show = show

    def __call__(self, latest: Stage | None, ended: list[Stage], finished: bool) -> None:
        for path, _, seconds in ended:
            logger.debug("%s: %.2f s", ", ".join(path), seconds)
        if finished:
            if isinstance(self._show, (_TerminalBar, _NotebookBar)):
                self._show.close()
        elif self._show is not None and latest is not None:
            path, share, _ = latest
            self._show(", ".join(path), share)


class _TerminalBar:
    """A line that is drawn again and again, after the first second."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._begun = time.monotonic()
        self._drawn = 0

    def __call__(self, stage: str, share: float | None) -> None:
        if time.monotonic() - self._begun < _DELAY:
            return
        line = _line(stage, share, time.monotonic() - self._begun)
        self._out.write("\r" + line + " " * max(0, self._drawn - len(line)))
        self._out.flush()
        self._drawn = len(line)

    def close(self) -> None:
        if self._drawn:
            self._out.write("\r" + " " * self._drawn + "\r")
            self._out.flush()
            self._drawn = 0


class _NotebookBar:
    """The same as an output of a notebook's cell."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._handle: Any = None

    def __call__(self, stage: str, share: float | None) -> None:
        seconds = time.monotonic() - self._begun
        if seconds < _DELAY:
            return
        value = f' value="{share:.4f}"' if share is not None else ""
        self._show(f"<progress{value}></progress> {escape(stage)} <small>{seconds:.0f} s</small>")

    def close(self) -> None:
        if self._handle is not None:
            self._show("")

    def _show(self, html: str) -> None:
        display: Any = import_module("IPython.display")
        if self._handle is None:
            self._handle = display.display(display.HTML(html), display_id=True)
        else:
            self._handle.update(display.HTML(html))


def _line(stage: str, share: float | None, seconds: float) -> str:
    if share is None:
        return f"{stage}  {seconds:.0f} s"
    filled = int(share * _WIDTH)
    return f"{stage} [{'#' * filled}{'.' * (_WIDTH - filled)}] {share:4.0%}  {seconds:.0f} s"


Rest: TypeAlias = Literal["raise", "drop", "insensitive"]
"""What becomes of columns that a call does not name."""
