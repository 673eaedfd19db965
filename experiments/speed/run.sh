#!/usr/bin/env bash
# Training against Vowpal Wabbit on the same tuples, in one run on the same cores: experiments/speed/run.sh DATA
# DATA is the folder of the data sets; results.json and results.md are written beside this script.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${QWD_SPEED:-}" ]; then
  (cd "$here/../.." && cargo build --release --locked -p qwd-lab --example speed)
  QWD_SPEED="$here/../../target/release/examples/speed"
fi
if [ -z "${QWD_SPEED_PYTHON:-}" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet vowpalwabbit numpy
  QWD_SPEED_PYTHON="$work/venv/bin/python"
fi
"$QWD_SPEED" convert --data "$data/20newsgroups" --out "$work/20ng" >/dev/null
"$QWD_SPEED_PYTHON" "$here/compare.py" --speed "$QWD_SPEED" --data "$work/20ng" --work "$work" --out "$here"
