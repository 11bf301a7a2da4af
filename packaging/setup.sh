#!/usr/bin/env bash
# Makes what packaging/compose.yaml needs, in packaging/own, which git does not see. Run it again whenever you like: what is
# there stays. First put there
#
#   own/contracts.json   the contracts of the network
#   own/keys/            the node's encrypted key, alone
#   own/password         its password
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
keys=(keys/*)
[[ ${#keys[@]} = 1 && -f ${keys[0]} ]] || give_up 'put the file of one key into packaging/own/keys'
chmod 700 keys
chmod 600 password "${keys[0]}"
hex='[0-9a-fA-F]\{40\}'
address=0x$(grep -o "\"address\" *: *\"\(0x\)\?$hex\"" "${keys[0]}" | grep -o "$hex") || give_up 'the key names no address'
REGISTRY=$(grep -o "\"token_network_registry_address\" *: *\"0x$hex\"" contracts.json | grep -o "0x$hex") ||
  give_up 'contracts.json names no token_network_registry_address'
export CHAIN_ID REGISTRY

bash "$here/nats/access.sh" nats "node=$address=node" "$@"
[ -s metrics-token ] || openssl rand -hex 32 | tr -d '\n' > metrics-token
[ -s api-token ] || openssl rand -hex 32 | tr -d '\n' > api-token
[ -s api-tokens ] || printf '# for you\n%s admin\n# for Prometheus\n%s read\n' "$(cat api-token)" "$(cat metrics-token)" > api-tokens
[ -s grafana-password ] || openssl rand -hex 16 | tr -d '\n' > grafana-password
mkdir -p data/{primary,standby,nats-1,nats-2,nats-3,prometheus,grafana}

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
END
chmod 600 "$here/.env"
echo "Everything is in packaging/own: keep a copy at a safe place. The node is $address; own/api-token is for its API."
