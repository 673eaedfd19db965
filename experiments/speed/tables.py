"""results.json of this folder as Markdown."""


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
