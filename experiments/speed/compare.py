"""Runs Vowpal Wabbit and qwd on the same tuples and writes results.json and results.md.

VW's rate: the two best of a wider search (rates 0.05 to 50, with and without --sgd, l1 1e-8 to 1e-6) are run again here.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys

from tables import markdown

HERE = pathlib.Path(__file__).parent
TUPLES = 100_000
# Label, rate, l1, further options. The first is the peer of the throughput ratios: VW as its users run it.
VW_RUNS = [("vw", 0.5, 1e-8, ""), ("vw --sgd", 5, 1e-7, "--sgd")]
# The tuples per second of VW's adaptive updates do not change with their number, and they are slow.
VW_TUPLES = {"vw": 20_000, "vw --sgd": TUPLES}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("speed", "data", "work", "out"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    speed = lambda command, *more: run([args.speed, command, "--data", args.data, "--json", *map(str, more)])
    lines, weights = f"{args.work}/tuples.vw", f"{args.work}/weights.bin"
    speed("export", "--tuples", TUPLES, "--out", lines)

    report = {"date": datetime.date.today().isoformat(), "tuples": TUPLES, "vw": {}, "qwd": {}}
    for label, rate, l1, options in VW_RUNS:
        vw = run([sys.executable, HERE / "vw.py", "--lines", lines, "--tuples", VW_TUPLES[label], "--rate", rate,
                  "--l1", l1, f"--options={options}", "--weights", weights])
        report["vw"][label] = {**vw, "figures": speed("eval", "--weights", weights)}
    for threads in (1, 2):
        more = ["--traffic"] if threads == 1 else []
        report["qwd"][f"{threads} threads"] = speed("train", "--tuples", TUPLES, "--threads", threads, *more)
    best = max(report["vw"].values(), key=lambda vw: vw["figures"]["map"])
    out = pathlib.Path(args.out)
    report["reach"] = speed("reach", "--tuples", TUPLES, "--map", best["figures"]["map"], "--every", 1000, "--threads", 2)
    report["ratios"] = ratios(report, best)
    save(report, out)
    report["memory"] = {
        "10,000 words": speed("memory", "--tuples", TUPLES, "--threads", 2),
        "100,000 words": speed("memory", "--tuples", 20_000, "--words", 100_000, "--threads", 2),
    }
    report["growth"] = speed("growth", "--tuples", 10_000)
    save(report, out)
    print(markdown(report))


def save(report, out):
    (out / "results.json").write_text(json.dumps(report, indent=2) + "\n")
    (out / "results.md").write_text(markdown(report))


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def ratios(report, best):
    vw = report["vw"]["vw"]["tuples_per_second"]
    qwd = {name: run["tuples_per_second"] for name, run in report["qwd"].items()}
    to_map = best["learning_seconds"] * TUPLES / best["tuples"]
    ratios = {f"tuples per second, {name}": speed / vw for name, speed in qwd.items()}
    if report["reach"]["reached"]:
        for threads in (1, 2):
            ratios[f"time to equal MAP, {threads} threads"] = to_map / report["reach"][f"seconds_with_{threads}_threads"]
    return ratios


if __name__ == "__main__":
    main()
