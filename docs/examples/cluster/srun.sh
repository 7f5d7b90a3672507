#!/bin/bash
# From the job and the first host of its step, the ranks find one another.
srun --nodes=2 --ntasks-per-node=8 --gpus-per-node=8 comm-exec step.so --backend=nccl
