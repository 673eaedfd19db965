"""A cluster of real executors on this machine, and how busy the machine is."""

import json
import os
import sys
from pathlib import Path
from typing import Any


def session(executors: int, memory_mb: int, log: Path | None = None, **options: str) -> Any:
    """A session of executors of one core each; with ``log``, Spark writes down what every task did."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    path = os.pathsep.join(p for p in sys.path if p)
    builder = (
        SparkSession.builder.master(f"local-cluster[{executors},1,{memory_mb}]").appName("qwd")
        .config("spark.executor.memory", f"{memory_mb}m").config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1").config("spark.executorEnv.PYTHONPATH", path)
    )
    if log is not None:
        log.mkdir(parents=True, exist_ok=True)
        builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", log.resolve().as_uri())
        builder = builder.config("spark.eventLog.compress", "false").config("spark.eventLog.rolling.enabled", "false")
    for name, value in options.items():
        builder = builder.config("spark." + name.replace("_", "."), value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def work_of(log: Path, since: float = 0.0, until: float = float("inf")) -> dict[str, Any]:
    """Bytes shuffled and the seconds that tasks ran on each executor, of tasks that ended between two times."""
    out: dict[str, Any] = {"shuffled_bytes": 0, "result_bytes": 0, "tasks": 0, "seconds_by_executor": {}}
    for file in (path for path in log.rglob("*") if path.is_file()):
        for line in file.open():
            event = json.loads(line) if '"SparkListenerTaskEnd"' in line else {}
            metrics = event.get("Task Metrics")
            if not metrics or not since <= event["Task Info"]["Finish Time"] / 1000 <= until:
                continue
            executor = event["Task Info"]["Executor ID"]
            out["tasks"] += 1
            out["shuffled_bytes"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            out["result_bytes"] += metrics["Result Size"]
            seconds = out["seconds_by_executor"]
            seconds[executor] = round(seconds.get(executor, 0.0) + metrics["Executor Run Time"] / 1000, 1)
    return out


def load() -> list[float]:
    """The load averages of the last 1, 5 and 15 minutes."""
    return [round(x, 1) for x in os.getloadavg()]
