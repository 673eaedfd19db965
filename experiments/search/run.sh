#!/usr/bin/env bash
# The benchmark of search: qwd beside tantivy and bm25s, same documents, same queries, one thread each, in one run.
#
#     experiments/search/run.sh DATA [WORK] [N_DOCUMENTS]
#
# DATA holds the public data sets (`mdn_docs`, `20newsgroups`, `nfcorpus`). Corpora, models and indexes go to WORK; what was measured goes
# to experiments/search/results.
set -euo pipefail
data=$(cd "$1" && pwd)
work=${2:-/tmp/qwd-search-benchmark}
n=${3:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work/out" "$work/indexes" "$here/results"
cd "$here/../.."
cargo build --release -p qwd-cli
cargo build --release -p qwd-search --example search_speed
target=${CARGO_TARGET_DIR:-target}
qwd=$(cd "$target/release" && pwd)/qwd
speed=$(cd "$target/release/examples" && pwd)/search_speed
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install numpy tantivy==0.27.0 bm25s==0.3.16
python="$work/venv/bin/python"

cd "$work"
[ -d mdn ] || "$qwd" dataset get mdn_docs --from "$data/mdn_docs" --out mdn
[ -d 20ng ] || "$qwd" dataset get 20newsgroups --from "$data/20newsgroups" --out 20ng
[ -f mdn.qwd ] || "$qwd" train mdn --method sparse-sgd --tuples 60000 --out mdn.qwd
[ -f 20ng.qwd ] || "$qwd" train 20ng --method sparse-sgd --tuples 40000 --out 20ng.qwd
[ -f made/queries.jsonl ] || "$python" "$here/prepare.py" . "$n"

measure() { # corpus, model, name
    rm -rf "indexes/$3"
    "$speed" "$1/corpus.jsonl" "$1/queries.jsonl" "$2" "indexes/$3" "out/$3.json"
}
peers() { # corpus, name, expanded queries
    "$python" "$here/peers.py" "$1/corpus.jsonl" "$1/queries.jsonl" "indexes/tantivy-$2" "out/peers-$2.json" ${3:+"$3"}
}
for corpus in mdn made; do
    measure $corpus bm25 $corpus-bm25
    peers $corpus $corpus-bm25
    measure $corpus mdn.qwd $corpus-learned
    peers $corpus $corpus-learned "out/$corpus-learned.json.expanded"
done
measure 20ng 20ng.qwd 20ng-learned
peers 20ng 20ng-learned out/20ng-learned.json.expanded
"$python" "$here/collect.py" out "$here/results/search.json"
[ -d nfcorpus ] || "$qwd" dataset get nfcorpus --from "$data/nfcorpus" --out nfcorpus
"$python" "$here/expansion.py" "$qwd" "$speed" nfcorpus expansion "$here/results/expansion.json"
