"""results.json of this folder as Markdown and as a plot."""

# Data sets with texts and a training signal, and what the signal is.
DATASETS = {"nfcorpus": "judgments", "insuranceqa": "judgments", "wikispeedia": "links", "mdn_docs": "links", "20newsgroups": "labels",
            "reuters21578": "labels"}

# What run.sh measures before the data sets, each by the experiment that is made for it.
ELSEWHERE = [("training a sparse W beside Vowpal Wabbit", "speed", "results.md"),
             ("training a low-rank W beside Vowpal Wabbit, LSI beside scikit-learn", "semantic", "results.md"),
             ("PLS beside SciPy", "matching", "README.md"), ("trees beside LightGBM, linear rankers beside XGBoost", "rank", "results.md"),
             ("retrieval beside tantivy and bm25s, with and without expansion, and their memory", "search", "README.md")]


def markdown(report):
    """The report's tables."""
    lines = [f"# Side by side, {report['date']}", "",
             f"Default settings, {report['cores']} cores, load {report['load']:.1f} at the start. At most 1,000 test queries of each data "
             "set, best 1,000 documents, the same judgments and the same program measures all. Memory is that of the process (for qwd "
             "of its largest), CPU seconds are those of training, indexing and all queries together.", "",
             "![nDCG@10 of each system on each data set](results.svg)", ""]
    for name, rows in report["text"].items():
        lines += [f"## {name} ({DATASETS[name]})", "",
                  "| system | nDCG@10 | MAP | training | model | documents/s | queries/s | CPU s | memory |",
                  "|---|---|---|---|---|---|---|---|---|"]
        lines += [f"| {system} | {cells(row)} |" for system, row in rows.items()]
        chosen = (rows.get("qwd") or {}).get("chosen")
        lines += ["", f"qwd chose: {chosen}."] if chosen else []
        lines.append("")
    for name, rows in report.get("features", {}).items():
        lines += [f"## {name}", "", "| system | nDCG@10 | training | model |", "|---|---|---|---|"]
        lines += [f"| {system} | {row['ndcg@10']:.4f} | {row['seconds']:.1f} s | {row['bytes'] / 1e3:,.0f} kB |" for system, row in rows.items()]
        lines.append("")
    if report.get("growth"):
        lines += ["## Growth of training (20 Newsgroups, sparse W, seconds)", ""]
        for what, times in report["growth"].items():
            lines += [f"| {what} | " + " | ".join(map(str, times)) + " |", "|---" * (len(times) + 1) + "|",
                      "| seconds | " + " | ".join(f"{s:.1f}" for s in times.values()) + " |", ""]
    lines += ["## Speed against each peer, measured by experiments of their own", ""]
    lines += [f"- [{what}](../{folder}/{file})" for what, folder, file in ELSEWHERE]
    return "\n".join(lines) + "\n"


def draw(report, path):
    """What each system's ranking is worth, data set by data set."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    names = list(report["text"])
    figure, axes = pyplot.subplots(1, len(names), figsize=(2.6 * len(names), 3.2), constrained_layout=True)
    for axis, name in zip([axes] if len(names) == 1 else axes, names):
        rows = {system: row["ndcg@10"] for system, row in report["text"][name].items() if row and "failure" not in row}
        axis.barh(list(rows), list(rows.values()), color=["#d62728" if system == "qwd" else "#9aa5b1" for system in rows])
        axis.invert_yaxis()
        axis.set_title(name, fontsize=9)
        axis.tick_params(labelsize=7)
        axis.set_xlabel("nDCG@10", fontsize=8)
    figure.savefig(path)


def cells(row):
    if row is None:
        return "not run: see systems.py |  |  |  |  |  |  | "
    if "failure" in row:
        return f"failed: {row['failure']} |  |  |  |  |  |  | "
    rate = lambda x: "" if x is None else f"{x:,.0f}"
    size = lambda x: f"{x / 1e6:.1f} MB" if x else ""
    return " | ".join([f"{row['ndcg@10']:.4f}", f"{row['map']:.4f}", f"{row['train_seconds']:.1f} s" if row["train_seconds"] else "",
                       size(row["bytes"]), rate(row["documents_per_second"]), rate(row["queries_per_second"]),
                       rate(row["cpu_seconds"]), size(row["memory"])])
