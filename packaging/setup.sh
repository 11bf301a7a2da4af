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

[ -s metrics-token ] || openssl rand -hex 32 | tr -d '\n' > metrics-token
make_tokens() { # FOLDER
  [ -s "$1/api-token" ] || openssl rand -hex 32 | tr -d '\n' > "$1/api-token"
  [ -s "$1/api-tokens" ] ||
    printf '# for you\n%s admin\n# for Prometheus\n%s read\n' "$(cat "$1/api-token")" "$(cat metrics-token)" > "$1/api-tokens"
}
make_tokens .
for folder in "${further[@]}"; do
  make_tokens "$folder"
  [ -s "$folder/password" ] || cp password "$folder/"
  cp contracts.json "$folder/"
  # A renewed certificate comes here, too.
  mkdir -p "$folder/broker"
  cp -R "nats/nodes/$folder/." "$folder/broker/"
done
[ -s grafana-password ] || openssl rand -hex 16 | tr -d '\n' > grafana-password
for target in primary standby "${further[@]}"; do
  [[ $target = node-* ]] && key=$target || key=node
  echo "- { targets: ['$target:5001'], labels: { key: $key } }"
done > targets.yml
mkdir -p data/{primary,standby,nats-1,nats-2,nats-3,prometheus,grafana} "${further[@]/#/data/}"

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
END
chmod 600 "$here/.env"
echo 'Everything is in packaging/own: keep a copy at a safe place.'
echo "Nodes, with their streams: ${nodes[*]}"
echo 'own/api-token is for the API of node, own/NAME/api-token for that of another one.'
