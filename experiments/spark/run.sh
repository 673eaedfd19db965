#!/usr/bin/env bash
# Measures qwd.spark: ./run.sh DATA WORK. DATA holds the originals of 20newsgroups and mdn_docs; WORK is for what is made of them.
# Needs the program qwd (QWD=path) and a Python with qwd[spark] (PYTHON=path).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$1 work=$2 qwd=${QWD:-qwd} python=${PYTHON:-python3}
mkdir -p "$work"
for name in 20newsgroups mdn_docs; do
  [ -d "$work/$name" ] || "$qwd" dataset get "$name" --from "$data/$name" --out "$work/$name"
done
[ -d "$work/log" ] || "$qwd" simulate-clicks --config half-year --share 0.157 --out "$work/log"
"$python" "$here/quality.py" "$work" "$here/results-quality.json"
"$python" "$here/speed.py" "$work/log" "$here/results-speed.json" --program "$qwd"
