#!/usr/bin/env bash
# Opens a channel between each two of your nodes (docs/scaling.md), into which both put DEPOSIT, in the smallest unit of the
# token: each of k nodes needs k - 1 times as much. What is there already is left as it is, so run it again after an error.
#
#   packaging/channels.sh TOKEN DEPOSIT
#   packaging/channels.sh TOKEN DEPOSIT API=FILE…
#
# The first is for the nodes of packaging/own, at 127.0.0.1:5001, 5002, …; the second for nodes at other places, each with the
# file of a token of the scope admin: http://127.0.0.1:7001=alice-token
set -euo pipefail
export LC_ALL=C
give_up() { echo "channels.sh: $1" >&2; exit 1; }

usage='usage: channels.sh TOKEN DEPOSIT [API=FILE…]'
[[ ${1:-} =~ ^0x[0-9a-fA-F]{40}$ && ${2:-} =~ ^[1-9][0-9]{0,77}$ ]] || { echo "$usage" >&2; exit 2; }
token=$1 deposit=$2
shift 2
if [ $# = 0 ]; then
  own=$(cd "$(dirname "$0")" && pwd)/own
  set -- "http://127.0.0.1:5001=$own/api-token"
  for folder in "$own"/node-[2-8]; do
    [ ! -d "$folder" ] || set -- "$@" "http://127.0.0.1:500${folder##*-}=$folder/api-token"
  done
fi
[ $# -ge 2 ] || give_up 'there is only one node: see docs/scaling.md'
nodes=("$@")
for node in "${nodes[@]}"; do
  [[ $node =~ ^https?://[^=]+=. && -r ${node#*=} ]] || give_up "not API=FILE, with a file that can be read: $node"
done

# Sets `status` and `answer`. A call may take as long as its transactions take.
ask() { # NODE METHOD PATH [BODY]
  local api=${1%%=*} body=()
  [ $# -lt 4 ] || body=(--header 'content-type: application/json' --data "$4")
  # Where `ps` does not show the token.
  answer=$(curl --silent --show-error --max-time 1800 --request "$2" "${body[@]}" --write-out '\n%{http_code}' \
    --header @<(printf 'authorization: Bearer %s' "$(cat "${1#*=}")") "$api/api/v1$3") || give_up "$api cannot be asked"
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
}

field() { # NAME
  grep -o "\"$1\" *: *\"[^\"]*\"" <<< "$answer" | head -1 | cut -d '"' -f 4
}

refused() { # NODE WHAT
  give_up "${1%%=*} $2: $status $(field code || true): $(field errors || true)"
}

is_lower() { # AMOUNT AMOUNT
  [[ $(printf '%78s' "$1") < $(printf '%78s' "$2") ]]
}

# Lets the node have its deposit in the channel with the partner. One that may not open it waits until it sees it.
fill() { # NODE NUMBER-OF-PARTNER MAY-OPEN
  local partner=${addresses[$2]} seconds=0
  local path="/channels/$token/$partner"
  while
    ask "$1" GET "$path"
    [[ $status = 404 && $(field code) = unknown_channel && $3 = no ]]
  do
    [ $((seconds += 1)) -lt 600 ] || give_up "${1%%=*} does not see the channel with $partner: has it the same contracts?"
    sleep 1
  done
  if [[ $status = 404 && $(field code) = unknown_channel ]]; then
    ask "$1" PUT /channels "{\"token_address\":\"$token\",\"partner_address\":\"$partner\",\"total_deposit\":\"$deposit\"}"
    [ "$status" = 201 ] || refused "$1" "opens no channel with $partner"
    return
  fi
  [ "$status" = 200 ] || refused "$1" "does not tell of its channel with $partner"
  [ "$(field state)" = opened ] ||
    give_up "the channel of ${1%%=*} with $partner is $(field state): run this again when it is settled"
  is_lower "$(field total_deposit)" "$deposit" || return 0
  ask "$1" PATCH "$path" "{\"total_deposit\":\"$deposit\"}"
  [ "$status" = 200 ] || refused "$1" "puts nothing into its channel with $partner"
}

addresses=()
for node in "${nodes[@]}"; do
  ask "$node" GET /address
  [ "$status" = 200 ] || refused "$node" 'does not say its address'
  # It becomes a part of what the others are asked.
  address=$(field our_address || true)
  [[ $address =~ ^0x[0-9a-fA-F]{40}$ ]] || give_up "${node%%=*} gives no address"
  [[ " ${addresses[*]-} " != *" $address "* ]] || give_up "${node%%=*} is a node that was named before: $address"
  addresses+=("$address")
done

# All nodes at once, each one channel after the other: a node takes one call at a time.
all() { # MAY-OPEN
  local first second job failed=
  jobs=()
  for first in "${!nodes[@]}"; do
    (
      for second in "${!nodes[@]}"; do
        # The node that was named first opens.
        if [[ $1 = yes && $first -lt $second || $1 = no && $first -gt $second ]]; then
          fill "${nodes[first]}" "$second" "$1"
        fi
      done
    ) &
    jobs+=($!)
  done
  # What runs beside does not hear Ctrl-C by itself.
  trap 'kill "${jobs[@]}" 2> /dev/null; exit 130' INT TERM
  for job in "${jobs[@]}"; do wait "$job" || failed=1; done
  [ -z "$failed" ] || exit 1
}
all yes
all no
echo "Each of ${#nodes[@]} nodes has put $deposit into its channels with the others, or more."
