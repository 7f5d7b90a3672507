#!/bin/bash
# On one host nothing more is needed.
mpirun -n 8 comm-exec step.so --backend=nccl
# On several, MASTER_ADDR is the host of rank 0.
mpirun -n 16 --host gpu1:8,gpu2:8 -x MASTER_ADDR=gpu1 -x MASTER_PORT=29400 \
  comm-exec step.so --backend=nccl
