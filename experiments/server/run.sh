#!/usr/bin/env bash
# The benchmark of the server on MDN's English pages, all on one machine: greatest rate of searches, times at half of it, feedback
# with group commit, kills.
#
#     experiments/server/run.sh DATA [WORK] [SECONDS] [KILLS]
#
# DATA holds the public data set `mdn_docs`. Pages, models and indexes go to WORK; what was measured goes to
# experiments/server/results.
set -euo pipefail
data=$(cd "$1" && pwd)
work=${2:-/tmp/qwd-server-benchmark}
seconds=${3:-10}
kills=${4:-50}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work" "$here/results"
cd "$here/../.."
cargo build --release -p qwd-cli -p qwd-server --bin qwd --example server_load
target=${CARGO_TARGET_DIR:-target}
qwd=$(cd "$target/release" && pwd)/qwd
load=$(cd "$target/release/examples" && pwd)/server_load

cd "$work"
[ -d mdn ] || "$qwd" dataset get mdn_docs --from "$data/mdn_docs" --out mdn
[ -f plain.qwd ] || "$qwd" train mdn --method identity --out plain.qwd
[ -f mdn.qwd ] || "$qwd" train mdn --method sparse-sgd --tuples 60000 --out mdn.qwd
python3 - <<'PY'
import json
with open("mdn/corpus.jsonl") as pages, open("titles.jsonl", "w") as out:
    for line in pages:
        page = json.loads(line)
        if 2 <= len(page["title"].split()) <= 4:
            print(json.dumps({"_id": page["_id"], "text": page["title"]}), file=out)
PY
{
  echo "# The server on MDN's English pages"
  echo
  echo "$(nproc) cores shared by server and clients, load $(cut -d' ' -f1 /proc/loadavg) at the start, $seconds seconds each, top 10, titles of pages as queries."
  for model in plain mdn; do
    rm -rf "$model.index"
    case $model in
      plain) "$qwd" index mdn --model plain.qwd --out plain.index >/dev/null; name="Plain keywords (W = I)" ;;
      mdn) "$qwd" index mdn --model mdn.qwd --prune 100 --out mdn.index >/dev/null; name="Expanded by a learned sparse W, 100 terms" ;;
    esac
    printf '\n## %s\n\n' "$name"
    "$load" "$qwd" "$model.index" titles.jsonl "$here/results/$model.json" "$seconds" "$kills"
  done
} | tee "$here/results/server.md"
