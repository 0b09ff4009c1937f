# pyright: reportMissingImports=false
"""Attacking a release on a cluster: release and original are counted there, and the library attacks what the counts tell."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from .. import _moretta as native
from .._call import Progress, Rest, Seed
from .._calls import PolicyLike
from .._errors import Refused, WrongInput
from ..attacks import Audit, Knowledge
from ..policy import Roles, chosen
from ..release import attack
from ._check import recounted, release_folder
from ._count import count, source
from ._session import Work, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from typing_extensions import Unpack

    from ._count import SparkTable


def audit(
    target: str | os.PathLike[str],
    original: SparkTable | None = None,
    policy: PolicyLike = None,
    *,
    spark: SparkSession | None = None,
    scratch: str | os.PathLike[str] | None = None,
    region_limit: int = 5_000_000,
    rest: Rest = "raise",
    population: int | None = None,
    knowledge: Knowledge | None = None,
    seed: Seed = 1,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    **parts: Unpack[Roles],
) -> Audit:
    """Attacks the release in a folder in every way that counts allow, beside its original where that is given with its policy.

    Attacks that look at the order of rows, at identifiers or at columns that are published as they are find nothing to look at: the rows of
    the release are sorted by what they publish, and nothing else is in them. Nobody is named: counts name nobody.
    """
    home = release_folder(target)
    if home is None:
        raise WrongInput(
            f"{os.fspath(target)!r} holds no release: a table of another tool is attacked by moretta.audit"
        )
    work = Work(session(spark), progress, cancel)
    with tempfile.TemporaryDirectory(prefix="moretta-", dir=scratch) as inside:
        call = work.call(seed, threads)
        _, proof = recounted(work, home, inside, region_limit)
        if proof.release is None:
            raise Refused("the release has more different rows than the driver may hold: raise region_limit")
        table = None
        if original is not None:
            stated = chosen(policy, parts)
            stated = stated.covering(source(work, original)[0].columns, rest)
            cells = count(work, original, stated, inside)
            if cells.cells > region_limit:
                raise Refused(f"the original has {cells.cells:,} cells, and the driver may hold {region_limit:,}")
            frame = native.Frame.from_arrow(cells.table())
            table = native.Counted.read(frame, cells.count, stated._native, call).table(call)
        return attack(proof.release, table, None, population, knowledge, ((), ()), None, call)
