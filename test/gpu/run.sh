#!/usr/bin/env bash
# Checks a bundle (make_bundle.py) on a machine with a GPU: every example on
# 4 ranks and more of one device, then NCCL on one rank, against the values of
# the host backend; and measures compiled steps beside the same written by hand.
# Prints tables; fails if a value is wrong.
#
#   run.sh [OUT]           writes the tables to OUT/check.md and OUT/measure.md too
#   run.sh --values [OUT]  only values: also on the double of CUDA
set -uo pipefail
cd "$(dirname "$0")"
measures=1
if [ "${1:-}" = --values ]; then
  measures=
  shift
fi
out=${1:-.}
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# check BACKEND CASES: runs each line of a file of cases.
check() {
  local right=0 wrong=0 line start=$SECONDS
  while read -r line; do
    # The words of a case have no spaces in them.
    # shellcheck disable=SC2086
    if text=$(timeout 60 bin/comm-exec --backend="$1" $line 2>&1); then
      right=$((right + 1))
    else
      wrong=$((wrong + 1))
      echo "wrong on $1: ${line%% --expect*}" >&2
      echo "$text" | tail -n 5 >&2
    fi
  done < "$2"
  echo "| $1 | $((right + wrong)) | $right | $wrong | $((SECONDS - start)) s |"
}

# Two processes on one GPU, over sockets: NCCL takes a device once for each host,
# so each process says that it is another one. Worth a try, for values only.
try_two_processes() {
  local store line text
  store=$(mktemp -u)
  line=$(grep -m 1 -- '--function=two' cases.two)
  for rank in 0 1; do
    # shellcheck disable=SC2086
    NCCL_HOSTID=host$rank NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_IB_DISABLE=1 COMM_RENDEZVOUS=$store COMM_RANK=$rank \
      COMM_LOCAL_RANK=0 timeout 60 bin/comm-exec --backend=nccl $line > "$store.$rank" 2>&1 &
  done
  wait -n && wait -n && { echo "two processes on one GPU: right"; return; }
  wait
  text=$(grep -h error "$store".? | head -n 1)
  echo "two processes on one GPU: SKIPPED, NCCL refused: $text"
}

{
  echo "| backend | programs | right | wrong | time |"
  echo "| --- | --- | --- | --- | --- |"
  check cuda-local cases
  check nccl cases.nccl
} | tee "$out/check.md"
if [ -n "$measures" ]; then
  bin/gpu-measure steps.so | tee "$out/measure.md"
  try_two_processes | tee -a "$out/measure.md"
fi
! grep -qE '\| [1-9][0-9]* \| [0-9]+ s \|$' "$out/check.md"
