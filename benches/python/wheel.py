"""The wheel itself: how large it is, and how long it takes to be imported."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from page import say, show

TIMES = 15


def measure() -> None:
    """The wheel that was built into this environment, beside an interpreter that imports nothing."""
    wheels = sorted((Path(sys.prefix) / "wheels").glob("*.whl"))
    if not wheels:
        say("skipped: the wheel, which is not beside this environment")
        return
    size = wheels[-1].stat().st_size / 2**20
    bare, ours, polars = (_seconds(code) for code in ("pass", "import moretta", "import polars"))
    say(f"The wheel ({wheels[-1].name}), and starting an interpreter, the median of {TIMES}:")
    say()
    rows: list[tuple[object, ...]] = [
        ("", ""),
        ("size of the wheel", f"{size:.1f} MiB"),
        ("python -c pass", f"{bare * 1000:.0f} ms"),
        ("import moretta", f"{ours * 1000:.0f} ms"),
        ("import polars", f"{polars * 1000:.0f} ms"),
    ]
    show(rows)


def _seconds(code: str) -> float:
    def once() -> float:
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - begun

    once()
    return statistics.median(once() for _ in range(TIMES))
