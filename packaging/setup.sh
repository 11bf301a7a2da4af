#!/usr/bin/env bash
# Makes what packaging/compose.yaml needs, in packaging/own, which git does not see. Run it again whenever you like: what is
# there stays. First put there
#
#   own/contracts.json   the contracts of the network
#   own/keys/            the node's encrypted key, alone
#   own/password         its password
#   own/node-2/keys/     the key of a second node, alone, and so on to node-8 (docs/scaling.md); own/node-2/password, if it
#                        is not the same
#
# and then: CHAIN_ID=1 ETH_RPC_ENDPOINT=https://… packaging/setup.sh [NAME=ADDRESS…]
#
# with names and addresses of other nodes that may join the broker: give each its folder own/nats/nodes/NAME.
set -euo pipefail
: "${CHAIN_ID:?set CHAIN_ID}" "${ETH_RPC_ENDPOINT:?set ETH_RPC_ENDPOINT}"
here=$(cd "$(dirname "$0")" && pwd)
umask 077
mkdir -p "$here/own"
cd "$here/own"
give_up() { echo "setup.sh: $1" >&2; exit 1; }

[ -s contracts.json ] || give_up 'put contracts.json into packaging/own'
[ -s password ] || give_up "put the password of the key into packaging/own/password"
chmod 600 password
hex='[0-9a-fA-F]\{40\}'
address_of() { # FOLDER
  local keys=("$1"/*)
  [[ ${#keys[@]} = 1 && -f ${keys[0]} ]] || give_up "put the file of one key into packaging/own/$1"
  chmod 700 "$1"
  chmod 600 "${keys[0]}"
  local found
  found=$(grep -o "\"address\" *: *\"\(0x\)\?$hex\"" "${keys[0]}" | grep -o "$hex") ||
    give_up "the key in packaging/own/$1 names no address"
  echo "0x$found"
}
REGISTRY=$(grep -o "\"token_network_registry_address\" *: *\"0x$hex\"" contracts.json | grep -o "0x$hex") ||
  give_up 'contracts.json names no token_network_registry_address'
export CHAIN_ID REGISTRY

address=$(address_of keys)
nodes=("node=$address=node")
further=()
for folder in node-*; do
  [ -d "$folder" ] || continue
  [[ $folder =~ ^node-[2-8]$ ]] || give_up "packaging/own/$folder: compose.yaml has node-2 to node-8"
  key=$(address_of "$folder/keys")
  # Two processes with one key would sign against each other.
  [[ "${nodes[*],,} " != *"=${key,,}="* ]] || give_up "packaging/own/$folder has the key of another node: ${nodes[*]}"
  nodes+=("$folder=$key=$folder")
  further+=("$folder")
done
bash "$here/nats/access.sh" nats "${nodes[@]}" "$@"

# What Prometheus reads of a key, with a token that no other key knows.
mkdir -p prometheus
rm -f prometheus/*.yml
make_tokens() { # FOLDER KEY NODE STANDBY
  local token
  for token in "$1/api-token" "prometheus/$2-token"; do
    [ -s "$token" ] || openssl rand -hex 32 | tr -d '\n' > "$token"
  done
  [ -s "$1/api-tokens" ] || printf '# for you\n%s admin\n' "$(cat "$1/api-token")" > "$1/api-tokens"
  grep -qf "prometheus/$2-token" "$1/api-tokens" ||
    printf '\n# for Prometheus\n%s metrics\n' "$(cat "prometheus/$2-token")" >> "$1/api-tokens"
  echo "- { targets: ['$3:5001', '$4:5001'], labels: { job: sluice, key: $2 } }" > "prometheus/$2.yml"
}
make_tokens . node primary standby
echo '# Made by setup.sh, for HAProxy.' > proxy.cfg
number=
for folder in "${further[@]}"; do
  number=${folder#node-}
  make_tokens "$folder" "$folder" "$folder" "standby-$number"
  cat >> proxy.cfg <<END
listen $folder
  bind :500$number
  server $folder $folder:5001
  server standby-$number standby-$number:5001
END
  [ -s "$folder/password" ] || cp password "$folder/"
  cp contracts.json "$folder/"
  # A renewed certificate comes here, too.
  mkdir -p "$folder/broker"
  cp -R "nats/nodes/$folder/." "$folder/broker/"
done
[ -s grafana-password ] || openssl rand -hex 16 | tr -d '\n' > grafana-password
mkdir -p data/{primary,standby,nats-1,nats-2,nats-3,prometheus,grafana} "${further[@]/#/data/}" "${further[@]/#node/data/standby}"

# Containers run as the owner of these files, and never as root.
user=$(id -u):$(id -g)
if [ "$(id -u)" = 0 ]; then
  user=1000:1000
  chown -R "$user" .
fi
cat > "$here/.env" <<END
# Made by setup.sh.
SLUICE_USER=$user
ETH_RPC_ENDPOINT=$ETH_RPC_ENDPOINT
COMPOSE_PROFILES=$(IFS=,; echo "${further[*]}")
API_PORTS=5001${number:+-500$number}
END
chmod 600 "$here/.env"
echo 'Everything is in packaging/own: keep a copy at a safe place.'
echo "Nodes, with their streams: ${nodes[*]}"
echo 'own/api-token is for the API of node, own/NAME/api-token for that of another one.'
