"""A Spark of its own processes: a driver, and two executors that can be killed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import moretta as mo

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINE = os.environ.get("MORETTA_SPARK_ENGINE", "spark")

collect_ignore_glob: list[str] = []
if importlib.util.find_spec("pyspark") is None or (ENGINE == "spark" and shutil.which("java") is None):
    collect_ignore_glob.append("test_*.py")

ROWS = int(os.environ.get("MORETTA_SPARK_ROWS", "60000"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A cluster of two executors on this machine, each a process of its own, reached by nobody else."""
    if ENGINE == "sail":
        yield from _sail()
        return
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        # Executors that tests kill are not the cluster's fault.
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.task.maxFailures": "8",
        "spark.excludeOnFailure.enabled": "false",
    }
    builder: Any = SparkSession.builder
    builder = builder.master("local-cluster[2,1,1024]").appName("moretta")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def _sail() -> Iterator[SparkSession]:
    """A server of Sail in this process: Spark Connect without a Spark, and without a Java."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    builder: Any = SparkSession.builder
    yield builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    server.stop()


@pytest.fixture(scope="session")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated people, as a file of Parquet."""
    file = tmp_path_factory.mktemp("census") / "census.parquet"
    return generated(file, ROWS)


def generated(file: Path, rows: int) -> Path:
    """People of the generator, with fewer quasi-identifiers than it has."""
    command = [sys.executable, "-m", "moretta", "generate", "census", "--rows", str(rows), "--out", str(file)]
    subprocess.run([*command, "--seed", "1", "--quiet"], check=True)
    return file


def rows_of(release: mo.Release) -> pa.Table:
    """The rows of a release, sorted: two releases have the same rows if these are equal."""
    table = pa.table(release.arrow["data"]).replace_schema_metadata(None)
    table = pa.table({name: table.column(name).combine_chunks() for name in table.column_names})
    return table.sort_by([(name, "ascending") for name in table.column_names])


def smallest_group(folder: Path, quasi: list[str]) -> int:
    """The fewest rows that agree in these columns, counted from the files by nobody of ours."""
    table = pq.read_table(folder / "release" / "data.parquet", columns=quasi, partitioning=None)
    sizes = table.group_by(quasi).aggregate([([], "count_all")]).column("count_all")
    least: int = pc.min(sizes).as_py()
    return least


def executors(spark: SparkSession) -> list[int]:
    """The processes of this session's executors."""
    own = spark.sparkContext.applicationId
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            words = (process / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if own in words and any(word.endswith("CoarseGrainedExecutorBackend") for word in words):
            found.append(int(process.name))
    return sorted(found)


def kill_one(spark: SparkSession) -> bool:
    """Kills an executor; whether there was one."""
    for process in executors(spark):
        os.kill(process, signal.SIGKILL)
        return True
    return False


def wait_for_executors(spark: SparkSession, seconds: float = 60) -> None:
    """Waits until both executors are there."""
    until = time.monotonic() + seconds
    while len(executors(spark)) < 2 and time.monotonic() < until:
        time.sleep(0.2)
