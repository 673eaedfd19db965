"""results/search.json of this folder as the Markdown tables of its README."""


def markdown(result):
    return "\n\n".join(rows([columns, ["---"] * len(columns), *lines]) for columns, lines in tables(result)) + "\n"


def tables(result):
    """Columns and rows of each table."""
    names = {"mdn-bm25": "MDN, 14,593 pages", "made-bm25": "made, 1,000,000 documents"}
    with_peers = {key: name for key, name in names.items() if key in result and f"peers-{key}" in result}
    yield (["keyword queries, W = I, µs: mean (median, p99)", "qwd", "tantivy", "bm25s"],
           [keywords(result, key, name) for key, name in with_peers.items()])
    expanded_by = {"mdn-learned": "MDN", "20ng-learned": "20 Newsgroups", "made-learned": "made"}
    yield (["expanded queries, µs: mean (median, p99)", "qwd", "full scan", "tantivy, positive terms"],
           [expanded(result, key, name, n) for key, name in expanded_by.items() if key in result for n in ("30", "100", "200", "whole")])
    yield (["index", "documents/s, qwd", "tantivy", "bytes a posting, qwd", "tantivy", "opened in"],
           [index(result, key, name.split(",")[0]) for key, name in with_peers.items()])


def keywords(result, key, name):
    peers = result[f"peers-{key}"]
    return [name, times(result[key]["keywords"]), times(peers["tantivy"]["keywords"]), times(peers["bm25s"].get("keywords"))]


def expanded(result, key, name, n):
    peers = result.get(f"peers-{key}", {}).get("tantivy", {})
    terms = "all terms" if n == "whole" else f"{n} terms"
    return [f"{name}, {terms}", times(result[key][f"expanded-{n}"]), times(result[key][f"expanded-{n}-scan"]), times(peers.get(f"expanded-{n}"))]


def index(result, key, name):
    ours, peer = result[key], result[f"peers-{key}"]["tantivy"]
    peer_bytes = sum(peer["bytes"].get(kind, 0) for kind in (".idx", ".term", ".fieldnorm"))
    per_posting = [ours["index"]["bytes_per_posting"], peer_bytes / ours["index"]["n_postings"]]
    return [name, round(ours["build"]["documents_per_second"]), round(peer["build"]["documents_per_second"]),
            *(f"{x:.2f}" for x in per_posting), f"{ours['open_seconds']:.3f} s"]


def times(t):
    return f"{t['mean_micros']:.0f} ({t['median_micros']:.0f}, {t['p99_micros']:.0f})" if t else "not measured"


def rows(lines):
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
