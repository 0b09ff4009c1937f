"""moretta beside its peers on the same frames, in one run: whole calls, from frame to frame.

    ./x bench python                              everything but the ten million rows
    ./x bench python wheel check publish rows     parts by name
    ./x bench python rows 1000000                 another number of rows
    ./x bench python --write                      all of it, within eight minutes, and docs/python.md tells it

A peer that is not installed is skipped, with a sentence.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import page
import pandas as pd
import peers
import scale
import wheel

ROOT = Path(__file__).resolve().parent.parent.parent
QUASI = ["age", "sex", "race", "marital_status", "education"]
SENSITIVE = "occupation"


def adult() -> tuple[pd.DataFrame, Path] | None:
    """Adult without people who lack an attribute in use, and the folder of its hierarchies."""
    folder = Path(os.environ.get("MORETTA_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "adult.csv").exists():
        page.say(f"skipped: Adult is not in {folder}; MORETTA_DATA names another folder")
        return None
    table = pd.read_csv(folder / "adult.csv", na_values="?")[[*QUASI, SENSITIVE]].dropna().reset_index(drop=True)
    return table, folder / "hierarchies"


def main(parts: list[str]) -> None:
    """Measures the parts that are named."""
    warnings.simplefilter("ignore")
    numbers = [int(part) for part in parts if part.isdigit()]
    write = "--write" in parts
    usual = ["wheel", "check", "publish", *(["rows"] if write else [])]
    parts = [part for part in parts if not part.isdigit() and part != "--write"] or usual
    unknown = set(parts) - {"wheel", "check", "publish", "rows"}
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}")
    if "wheel" in parts:
        wheel.measure()
    found = adult()
    if found is not None:
        table, hierarchies = found
        page.say(f"Adult: {len(table):,} people; quasi-identifiers {', '.join(QUASI)}; sensitive {SENSITIVE}.")
        page.say()
        if "check" in parts:
            peers.check(table, QUASI, SENSITIVE)
        if "publish" in parts:
            peers.publish(table, QUASI, SENSITIVE, hierarchies)
    if "rows" in parts:
        scale.measure(numbers[0] if numbers else 10_000_000)
    if write:
        page.write()


if __name__ == "__main__":
    main(sys.argv[1:])
