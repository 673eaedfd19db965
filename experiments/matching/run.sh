#!/usr/bin/env bash
# How fast matching learns and how much memory it takes, PLS beside SciPy's svds, in one run: experiments/matching/run.sh [WORK]
#
# What is printed is kept in experiments/matching/results.txt. The half year takes the longest; SHARES names its parts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-/tmp/qwd-matching-benchmark}
shares=${SHARES:-0.0625 0.125 0.25 0.5 1}
mkdir -p "$work/product"
cd "$here/../.."
cargo build --release --locked -p qwd-train --example matching_speed
speed=$(cd "${CARGO_TARGET_DIR:-target}/release/examples" && pwd)/matching_speed
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install numpy scipy
{
  echo "== one week, RMLS at d = 1000, by threads"
  "$speed" rmls rank=1000 iterations=1 threads=1
  "$speed" rmls rank=1000 iterations=1 threads=2
  "$speed" rmls rank=1000 iterations=5 threads=2
  echo "== one week, PLS at d = 1000"
  "$speed" pls rank=1000 threads=2
  echo "== one week, PLS at d = 200 beside svds"
  "$speed" pls rank=200 threads=2 out="$work/product"
  "$work/venv/bin/python" "$here/svds.py" "$work/product" 1e-3
  echo "== half a year, RMLS at d = 100, by its share"
  for share in $shares; do
    "$speed" rmls weeks=26 share="$share" rank=100 iterations=1 threads=2
  done
} | tee "$here/results.txt"
