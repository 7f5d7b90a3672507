#!/usr/bin/env bash
# try.sh BUNDLE COMMAND...: makes a small bundle by the command, and checks its
# values on the double of CUDA and NCCL that LD_LIBRARY_PATH leads to.
set -euo pipefail
bundle=$1
shift
double=$LD_LIBRARY_PATH
LD_LIBRARY_PATH='' "$@" "$bundle" layer tensor_parallel_ffn pairs
# run.sh puts the bundle's libraries first: the double is none of them.
LD_LIBRARY_PATH=$double bash "$bundle/run.sh" --values
# A wrong value is noticed.
sed -i '1s|\.so |.so --random-seed=7 |' "$bundle/cases"
if LD_LIBRARY_PATH=$double bash "$bundle/run.sh" --values 2> /dev/null; then
  echo "a wrong value was not noticed" >&2
  exit 1
fi
