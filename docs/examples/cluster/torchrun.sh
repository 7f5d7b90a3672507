#!/bin/bash
# Two hosts of eight GPUs, and a program with a mesh of 16 ranks. The same line on
# each host; HEAD is the name of one of them.
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$HEAD:29400" \
  --no-python comm-exec step.so --backend=nccl --output='loss=@loss-{rank}.npy'
