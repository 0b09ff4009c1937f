#!/usr/bin/env python3
"""What each stage of moretta.spark takes, on a Spark of two executors on this machine, for more and more generated people.

    ./x bench spark [ROWS …]        1000000 3000000 10000000 if nothing is stated
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUASI = ["age", "sex", "zipcode", "education"]


def session():
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1536]").appName("moretta")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "8",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def main(sizes):
    import pyarrow.parquet as pq

    import moretta as mo
    import moretta.spark as ms

    spark = session()
    with tempfile.TemporaryDirectory(dir=os.environ.get("MORETTA_BENCH_FOLDER")) as folder:
        for rows in sizes:
            file = Path(folder) / "census.parquet"
            command = [sys.executable, "-m", "moretta", "generate", "census", "--rows", str(rows), "--out", str(file)]
            subprocess.run([*command, "--quiet", "--force"], check=True)
            names = pq.read_schema(file).names
            quasi = [name for name in QUASI if name in names] or names[:4]
            sensitive = names[-1]
            rest = [name for name in names if name not in (*quasi, sensitive)]
            policy = mo.Policy(
                quasi=quasi, sensitive=sensitive, drop=rest, method="mondrian", require=[mo.KAnonymity(10), mo.DistinctLDiversity(2)]
            )
            cells = 0
            # First on the driver; then in regions of a quarter of the cells.
            for share in (1, 4):
                limit = 1 << 40 if share == 1 else cells // share
                begun = time.monotonic()
                out = Path(folder) / "out"
                made = ms.publish(str(file), policy, out=out, spark=spark, seed=7, region_limit=limit, replace=True)
                took = time.monotonic() - begun
                report = made.report.to_dict()
                cells = report["cells"]
                line = {
                    "rows": rows,
                    "cells": cells,
                    "regions": report.get("regions", 1),
                    "groups": report["groups"],
                    "seconds": round(took, 1),
                    **{name: round(seconds, 1) for name, seconds in report["seconds"].items()},
                    "driver_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                }
                print(json.dumps(line), flush=True)
    spark.stop()


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [1_000_000, 3_000_000, 10_000_000])
