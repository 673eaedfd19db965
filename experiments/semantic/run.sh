#!/usr/bin/env bash
# Low rank and LSI against their peers on the same vectors, in one run on one thread each; scale: experiments/semantic/run.sh DATA
# DATA is the folder of the data sets; results.json and results.md are written beside this script.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${QWD_SPEED:-}" ]; then
  (cd "$here/../.." && cargo build --release --locked -p qwd-lab --example semantic_speed)
  QWD_SPEED="$here/../../target/release/examples/semantic_speed"
fi
if [ -z "${QWD_SPEED_PYTHON:-}" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet vowpalwabbit numpy scikit-learn
  QWD_SPEED_PYTHON="$work/venv/bin/python"
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
"$QWD_SPEED_PYTHON" "$here/peers.py" --speed "$QWD_SPEED" --data "$data/wikispeedia" --work "$work" --out "$here"
