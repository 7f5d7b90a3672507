#!/bin/sh
# 1, "interesting", where the program makes a claim that does not hold.
comm-opt "$1" -comm-materialize-replication 2>&1 >/dev/null | grep -q "is marked replicated .* but varies" && exit 1
exit 0
