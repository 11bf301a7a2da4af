#!/bin/sh
# Runs the program, and passes signals on. A node that another process has taken over from ends with 4. Containers are
# started again whatever the code is, so this one stays, without a node, until an operator ends it.
program=${SLUICE_MAIN:-/opt/sluice/dist/src/cli/main.js}
[ "$1" = node ] || exec node --max-semi-space-size=32 "$program" "$@"

node --max-semi-space-size=32 "$program" "$@" &
child=$!
for signal in TERM INT HUP; do
  trap 'kill -'"$signal"' "$child" 2> /dev/null' "$signal"
done
# A signal ends `wait` before the node has ended.
while
  wait "$child"
  code=$?
  kill -0 "$child" 2> /dev/null
do :; done
[ "$code" = 4 ] || exit "$code"

echo 'entrypoint: another node has taken over: see "Replication and takeover" in docs/operating.md' >&2
sleep infinity &
child=$!
wait "$child"
exit 4
