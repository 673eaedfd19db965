#!/usr/bin/env bash
# Runs every experiment whose data are in the given folder and records what it prints: experiments/record.sh DATA [NAME ...]
set -euo pipefail
cd "$(dirname "$0")/.."
data=$1
shift
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  names=(1-table1 1-table2-20ng 1-table2-mnist 1-table2-reuters 1-table3 1-figure1-20ng 1-figure1-mnist 1-figure1-reuters
    1-text-rates nfcorpus 2-table1 2-table1-mdn 2-table2 2-table3 2-table4 2-table5 2-table6 2-table7 2-table8 2-table9 2-table9-fr
    2-table10 2-table11 2-table11-pool 2-figure1 2-figure2 2-text-cfh-both 2-text-keywords 2-text-mates 2-text-multitask
    2-text-no-identity 2-text-speed 2-text-zero-diagonal 3-figure1-mq2008 3-figure2-mq2008 3-figure3-mq2008 3-figure4-mq2008
    3-table2-mq2008 3-table3-mq2008 3-table4-mq2008 3-table5-mq2008 3-table6-mq2008 3-table7-mq2008 3-table8-mq2008
    3-table9-mq2008 4-table1 4-table2 4-table2-wikispeedia 4-table2-zzquerylog 4-table3 4-table4 4-table5 4-table6 4-table7
    4-figure2)
fi
cargo build --release --locked -p qwd-cli
# Tables that share rows train them once.
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
for name in "${names[@]}"; do
  echo "== $name"
  target/release/qwd reproduce "$name" --data "$data" --keep "$kept" --json >"experiments/results/$name.json.part"
  mv "experiments/results/$name.json.part" "experiments/results/$name.json"
  case $name in
    1-figure1-* | 2-figure2) target/release/qwd plot learning-curve "experiments/results/$name.json" --out "experiments/results/$name.svg" ;;
    2-figure1) target/release/qwd plot ap-scatter "experiments/results/$name.json" --out "experiments/results/$name.svg" ;;
    3-figure*) target/release/qwd plot lines "experiments/results/$name.json" --out "experiments/results/$name.svg" ;;
  esac
done
