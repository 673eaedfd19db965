#!/usr/bin/env bash
# The second stage against LightGBM and XGBoost, in one run on the same core: experiments/rank/run.sh DATA
# DATA is the folder of the data sets; results.json and results.md are written beside this script.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${QWD:-}" ]; then
  (cd "$here/../.." && cargo build --release --locked -p qwd-cli && cargo build --release --locked -p qwd-rank --example scale)
  QWD="$here/../../target/release/qwd"
  QWD_SCALE="$here/../../target/release/examples/scale"
fi
if [ -z "${QWD_RANK_PYTHON:-}" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet lightgbm xgboost-cpu numpy scipy
  QWD_RANK_PYTHON="$work/venv/bin/python"
fi
"$QWD_RANK_PYTHON" "$here/compare.py" --qwd "$QWD" --scale "${QWD_SCALE:-}" --data "$data" --work "$work" --out "$here"
