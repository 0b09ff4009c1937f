"""Many rows: from a polars frame, and by the command line from a Parquet file. Each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from page import left, say, show

POLICY = """
[data]
source = "census.parquet"

[attributes]
{attributes}

[[require]]
model = "k-anonymity"
k     = 10

[method]
name = "mondrian"
"""

FRAME = """
import json, sys, time
import polars as pl
import psutil
import moretta as mo

frame = pl.read_parquet(sys.argv[1] + "/census.parquet")
policy = mo.Policy.load(sys.argv[1] + "/policy.toml")
process = psutil.Process()
before = process.memory_info().rss
begun = time.perf_counter()
release = mo.publish(frame, policy, seed=1, folder=sys.argv[1] + "/ours")
seconds = time.perf_counter() - begun
peak = release.report.json["peak_rss_mb"]
print(json.dumps({"seconds": seconds, "beyond_frame_mb": peak - before / 2**20, "peak_mb": peak}))
"""


def measure(rows: int) -> None:
    """Publishes a synthetic census in both ways, if there is time for it."""
    try:
        _measure(rows)
    except subprocess.TimeoutExpired:
        say(f"given up: {rows:,} rows, for which no time was left")


def _measure(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        program = [sys.executable, "-m", "moretta"]
        subprocess.run(
            [*program, "generate", "census", "--rows", str(rows), "--out", str(home / "census.parquet")],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=left(),
        )
        names = _names(home / "census.parquet")
        lines = [f'{name} = {{ role = "{"sensitive" if name == names[-1] else "quasi"}" }}' for name in names]
        (home / "policy.toml").write_text(POLICY.format(attributes="\n".join(lines)))
        done = subprocess.run(
            [sys.executable, "-c", FRAME, folder], check=True, capture_output=True, text=True, timeout=left()
        )
        ours = json.loads(done.stdout)
        command = [
            *program,
            "--json",
            "publish",
            str(home / "policy.toml"),
            "--seed",
            "1",
            "--out",
            str(home / "theirs"),
        ]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=left())
        report = json.loads(done.stdout)
        seconds = sum(report["seconds"].values())
        same = (home / "ours/release/manifest.json").read_bytes() == (
            home / "theirs/release/manifest.json"
        ).read_bytes()
    time, memory = ours["seconds"] / seconds, ours["beyond_frame_mb"] / report["peak_rss_mb"]
    say(
        f"{rows:,} rows of a synthetic census, mondrian, k = 10, the same release: {same}. From a polars frame, {time:.2f} times the seconds"
    )
    say(f"of the command line, and beyond the frame {memory:.2f} times its memory.")
    say()
    show(
        [
            ("", "seconds", "peak MiB", "of these, beyond the frame"),
            (
                "from a polars frame",
                f"{ours['seconds']:.1f}",
                f"{ours['peak_mb']:.0f}",
                f"{ours['beyond_frame_mb']:.0f}",
            ),
            ("the command line, from Parquet", f"{seconds:.1f}", f"{report['peak_rss_mb']:.0f}", ""),
        ]
    )


def _names(path: Path) -> list[str]:
    import polars as pl

    return list(pl.read_parquet_schema(path))
