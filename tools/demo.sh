#!/usr/bin/env bash
# Installs what is missing, builds, and shows the main job: differentiate a
# tensor-parallel layer, run it forward and backward on 4 ranks, check the
# gradient.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install-deps.sh
echo "== building: 5 to 15 minutes on two cores the first time (build/demo.log)"
mkdir -p build
cmake --workflow --preset demo >build/demo.log 2>&1 || { cat build/demo.log; exit 1; }
export PATH="$PWD/build/bin:$PATH"
example=docs/examples/tensor_parallel_ffn.mlir

printf '$ export PATH=$PWD/build/bin:$PATH\n'

# show WHAT COMMAND: prints the command as it stands, and runs it.
show() {
  printf '\n== %s\n$ %s\n' "$1" "$2"
  bash -o pipefail -c "$2"
}

show "the layer: one all_reduce, nothing written for the backward" \
  "sed -n '/func.func @ffn(/,/^}/p' $example"
show "its generated backward: ONE all_reduce, of the gradient of x" \
  "comm-opt $example -comm-differentiate=functions=ffn | sed -n '/func.func private @ffn_bwd/,/^  }/p'"
show "forward and backward on 4 ranks" \
  "comm-run docs/examples/hello.mlir --function=one_loss --grad --input=x=rand"
show "the same input, counted as four losses" \
  "comm-run docs/examples/hello.mlir --function=loss_of_each_rank --grad --input=x=rand"
show "forward and backward of the layer, every collective" \
  "comm-run $example --function=ffn --grad --wrt=x --trace"
show "is the gradient right?" \
  "comm-run $example --function=ffn --check-grad"
printf '\n== done: differentiated, run on 4 ranks, checked\n'
