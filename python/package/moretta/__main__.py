"""The command line: ``python -m moretta``, and the script ``moretta``."""

from __future__ import annotations

import signal
import sys

from ._moretta import main as run


def main() -> int:
    """Runs the command line, and returns its exit status."""
    # The program stops by itself at Ctrl-C, and cleans up; Python's own handler would raise after it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["moretta", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
