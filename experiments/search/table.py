"""Puts what was measured into one file, and prints it as tables.

    table.py OUT RESULT.json
"""
import json
import pathlib
import sys

out = pathlib.Path(sys.argv[1])
result = {}
for path in sorted(out.glob("*.json")):
    result[path.stem] = json.loads(path.read_text())
pathlib.Path(sys.argv[2]).write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


def row(cells):
    print("| " + " | ".join(str(c) for c in cells) + " |")


def times(t):
    return f"{t['mean_micros']:.0f} ({t['median_micros']:.0f}, {t['p99_micros']:.0f})" if t else "–"


def index_bytes(sizes):
    return sum(sizes.get(kind, 0) for kind in (".idx", ".term", ".fieldnorm"))


names = {"mdn-bm25": "MDN", "made-bm25": "made"}
row(["keyword queries, W = I, µs: mean (median, p99)", "qwd", "tantivy", "bm25s"])
row(["---"] * 4)
for key, name in names.items():
    if key in result and f"peers-{key}" in result:
        peers = result[f"peers-{key}"]
        row([name, times(result[key]["keywords"]), times(peers["tantivy"]["keywords"]), times(peers["bm25s"].get("keywords"))])
print()
row(["expanded queries, µs: mean (median, p99)", "qwd", "full scan", "tantivy, positive terms"])
row(["---"] * 4)
for key, name in {"mdn-learned": "MDN", "20ng-learned": "20 Newsgroups", "made-learned": "made"}.items():
    if key not in result:
        continue
    peers = result.get(f"peers-{key}", {}).get("tantivy", {})
    for n in ("30", "100", "200", "whole"):
        t = result[key]
        row([f"{name}, {n} terms", times(t[f"expanded-{n}"]), times(t[f"expanded-{n}-scan"]), times(peers.get(f"expanded-{n}"))])
print()
row(["index", "documents/s, qwd", "tantivy", "bytes/posting, qwd", "tantivy", "opened in"])
row(["---"] * 6)
for key, name in names.items():
    if key in result and f"peers-{key}" in result:
        ours, peer = result[key], result[f"peers-{key}"]["tantivy"]
        per_posting = index_bytes(peer["bytes"]) / ours["index"]["n_postings"]
        row([name, round(ours["build"]["documents_per_second"]), round(peer["build"]["documents_per_second"]),
             f"{ours['index']['bytes_per_posting']:.2f}", f"{per_posting:.2f}", f"{ours['open_seconds']:.3f} s"])
