"""Runs Vowpal Wabbit and qwd on the same tuples and writes results.json and results.md.

VW's rate: the two best of a wider search (rates 0.05 to 50, with and without --sgd, l1 1e-8 to 1e-6) are run again here.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys

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


def markdown(report):
    parts = [f"# Training speed, {report['date']}", runs(report), ratio_table(report), bounds(report)]
    if "memory" in report:
        parts.append(memory(report["memory"]))
    if "growth" in report:
        parts.append(growth(report["growth"]))
    return "\n\n".join(parts) + "\n"


def table(columns, rows):
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def runs(report):
    rows = []
    for label, vw in report["vw"].items():
        figures = vw["figures"]
        rows.append([label, f"{vw['tuples']:,}", f"{vw['tuples_per_second']:,.0f}", f"{figures['map']:.3f}", f"{figures['error']:.3f}"])
    for label, qwd in report["qwd"].items():
        rows.append([f"qwd, {label}", f"{qwd['tuples']:,}", f"{qwd['tuples_per_second']:,.0f}", "", ""])
    reach = report["reach"]
    rows.append(["qwd, until VW's best MAP", f"{reach['tuples']:,}", "", f"{reach['map']:.3f}", ""])
    return table(["run", "tuples", "tuples/s", "MAP", "error"], rows)


def ratio_table(report):
    return table(["qwd against VW", "times"], [[name, f"{ratio:.1f}"] for name, ratio in report["ratios"].items()])


def bounds(report):
    run = report["qwd"]["1 threads"]
    traffic, machine = run["traffic"], run["machine"]
    rows = [
        ["word pairs of a tuple, mean", f"{traffic['word_pairs_per_tuple']:,.0f}"],
        ["bytes of W touched per second", f"{traffic['w_gb_touched_per_second']:.1f} GB"],
        ["cache lines of W moved per second", f"{traffic['lines_per_second_in_blocks'] / 1e6:.0f} million ({traffic['line_gb_per_second_in_blocks']:.1f} GB)"],
        ["cache lines of a tuple, alone and in its block", f"{traffic['lines_per_tuple']:,.0f}, {traffic['lines_per_tuple_in_blocks']:,.0f}"],
        ["random cache lines that this core can change per second", f"{traffic['random_lines_per_second'] / 1e6:.0f} million"],
        ["a plain copy, bytes read and written per second", f"{traffic['copy_gb_read_and_written_per_second']:.1f} GB"],
        ["nanoseconds per word pair touched", f"{traffic['nanoseconds_per_pair_touched']:.1f}"],
        ["processor", f"{machine['cpu']}, {machine['cores']} cores, " + ", ".join(f"{name} {size}" for name, size in machine["caches"].items())],
    ]
    return "## What bounds it\n\n" + table(["one thread", ""], rows)


def memory(runs):
    rows = [
        [label, f"{run['words']:,}", f"{run['tuples']:,}", f"{run['peak_bytes_trained'] / 1e6:,.0f} MB", f"{run['density']:.4f}", f"{run['model_bytes'] / 1e6:,.1f} MB"]
        for label, run in runs.items()
    ]
    return "## Memory\n\n" + table(["run", "words at hand", "tuples", "peak resident", "density", "model file"], rows)


def growth(runs):
    rows = [
        [run["varied"], f"{run['tuples']:,}", f"{run['words']:,}", f"{run['l1']:g}", f"{run['density']:.4f}", f"{run['pairs_touched'] / 1e6:,.0f}",
         f"{run['lines_per_tuple'] * run['tuples'] / 1e6:,.0f}", f"{run['seconds']:.2f}", f"{run['ns_per_pair']:.1f}"]
        for run in runs
    ]
    columns = ["varied", "tuples", "words", "l1", "density", "pairs touched, millions", "cache lines, millions", "seconds", "ns per pair"]
    return "## Growth, one thread\n\n" + table(columns, rows)


if __name__ == "__main__":
    main()
