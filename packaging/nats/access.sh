#!/usr/bin/env bash
# Makes what a NATS cluster for nodes needs, in a folder: certificates of the servers, one for each node, and
# accounts.conf, in which each node has an account of its own. Run it again to add nodes, what is there stays; then
# start one server after the other again: a SIGHUP is not enough, old connections do not see new accounts.
#
#   CHAIN_ID=1 REGISTRY=0x… packaging/nats/access.sh FOLDER alice=0x… bob=0x…
#
# SERVERS: names and addresses under which the servers are reached. REGISTRY: the token network registry.
# FOLDER/tls and FOLDER/accounts.conf are for the servers; FOLDER/nodes/NAME for each node. Keep FOLDER/authority at home:
# whoever has its keys can join as any node, or as a server.
set -euo pipefail

: "${CHAIN_ID:?set CHAIN_ID}" "${REGISTRY:?set REGISTRY to the address of the token network registry}"
[ $# -ge 2 ] || { echo 'usage: CHAIN_ID=… REGISTRY=0x… access.sh FOLDER NAME=ADDRESS…' >&2; exit 2; }
servers=${SERVERS:-nats-1 nats-2 nats-3 localhost 127.0.0.1}
days=${DAYS:-825}
umask 077
mkdir -p "$1"
cd "$1"
shift
mkdir -p authority tls nodes
for given in CHAIN_ID REGISTRY; do
  [[ ${!given} =~ ^(0x[0-9a-fA-F]{40}|[0-9]+)$ ]] || { echo "access.sh: $given cannot be ${!given}" >&2; exit 2; }
done
touch names
for node in "$@"; do
  [[ $node =~ ^[a-z0-9-]+=0x[0-9a-fA-F]{40}$ ]] || { echo "access.sh: not NAME=ADDRESS: $node" >&2; exit 2; }
  grep -qx "${node,,}" names && continue
  ! grep -q "^${node%%=*}=" names || { echo "access.sh: ${node%%=*} has another address" >&2; exit 2; }
  echo "${node,,}" >> names
done

quietly() {
  local said
  said=$("$@" 2>&1) || { echo "$said" >&2; exit 1; }
}

authority() { # NAME
  [ -f "authority/$1.key" ] && return
  quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
    -subj "/CN=sluice $1" -keyout "authority/$1.key" -out "authority/$1.pem"
}

certificate() { # FILE SUBJECT AUTHORITY EXTENSIONS
  [ -f "$1.key" ] && return
  printf 'basicConstraints=CA:FALSE\n%b' "$4" > "$1.ext"
  quietly openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$2" \
    -keyout "$1.new" -out "$1.csr"
  quietly openssl x509 -req -in "$1.csr" -days "$days" -CA "authority/$3.pem" -CAkey "authority/$3.key" \
    -CAcreateserial -extfile "$1.ext" -out "$1.pem"
  mv "$1.new" "$1.key"
  rm "$1.csr" "$1.ext"
}

names=
for server in $servers; do
  kind=DNS
  [[ $server =~ ^[0-9.]+$|: ]] && kind=IP
  names+="${names:+,}$kind:$server"
done
authority authority
authority routes-authority
certificate tls/server broker authority "subjectAltName=$names\nextendedKeyUsage=serverAuth\n"
certificate tls/route route routes-authority "subjectAltName=$names\nextendedKeyUsage=serverAuth,clientAuth\n"
cp authority/authority.pem authority/routes-authority.pem tls/

# Streams of JetStream are only safe from others in an account of their own: a user who may make a stream can let it copy
# any other of the account, whatever its permissions are, and the answer to a call of JetStream goes to any subject.
# So each node has an account. What nodes say to each other passes between these; topics, over the account NETWORK.
network="sluice.$CHAIN_ID.${REGISTRY,,}"
topics='pathfinding monitoring hello'

lines() { printf '    %s\n' "$@"; }

account() { # NAME ADDRESS
  local name=$1 address=$2 topic other
  echo "  $name {"
  echo '    jetstream: { max_mem: 16MB, max_file: 4GB }'
  echo "    users: [ { user: \"CN=$name\", permissions: {"
  lines "  publish: [\"$network.*\", \"$network.*.presence\"," \
    "            \"sluice.replica.>\", \"\$JS.API.>\", \"\$JS.ACK.>\", \"\$JS.FC.>\"]" \
    "  subscribe: [\"$network.$address\", \"$network.$address.presence\", \"_INBOX.$address.>\","
  for topic in $topics; do lines "              \"$network.$topic\","; done
  lines '             ]' '  allow_responses: true } } ]'
  lines "exports: [ { stream: \"$network.*\" }, { stream: \"$network.*.presence\" }, { stream: \"_INBOX.*.>\" } ]"
  lines 'imports: ['
  for topic in $topics; do
    lines "  { service: { account: NETWORK, subject: \"$network.$topic\" } }" \
      "  { stream: { account: NETWORK, subject: \"$network.$topic\" } }"
  done
  while IFS='=' read -r other _; do
    [ "$other" = "$name" ] && continue
    for subject in "$network.$address" "$network.$address.presence" "_INBOX.$address.>"; do
      lines "  { stream: { account: $other, subject: \"$subject\" } }"
    done
  done < names
  lines ']' | sed 's/$/\n  }/'
}

{
  echo "# Made by access.sh for chain $CHAIN_ID."
  echo 'accounts {'
  echo '  NETWORK {'
  echo '    exports: ['
  for topic in $topics; do
    lines "  { service: \"$network.$topic\" }" "  { stream: \"$network.$topic\" }"
  done
  echo '    ]'
  echo '  }'
  while IFS='=' read -r name address; do account "$name" "$address"; done < names
  echo '}'
} > accounts.new
mv accounts.new accounts.conf

while IFS='=' read -r name _; do
  mkdir -p "nodes/$name"
  certificate "nodes/$name/broker" "$name" authority 'extendedKeyUsage=clientAuth\n'
  cp authority/authority.pem "nodes/$name/broker-authority.pem"
done < names
