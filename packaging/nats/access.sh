#!/usr/bin/env bash
# Makes what a NATS cluster for nodes needs, in a folder: certificates of the servers, one for each node, and users.conf
# with what each may do. Run it again to add nodes, what is there stays; then send each server a SIGHUP.
#
#   CHAIN_ID=1 REGISTRY=0x… packaging/nats/access.sh FOLDER alice=0x…=shop bob=0x…
#
# Here alice may keep the stream `shop` for her standby; bob only says and hears messages. Give streams to nodes of your own
# only: permissions of NATS do not keep streams of one account apart (docs/messages.md).
# SERVERS: names and addresses under which the servers are reached. REGISTRY: the token network registry.
# FOLDER/tls and FOLDER/users.conf are for the servers; FOLDER/nodes/NAME for each node. Keep FOLDER/authority at home:
# whoever has its keys can join as any node, or as a server.
set -euo pipefail

: "${CHAIN_ID:?set CHAIN_ID}" "${REGISTRY:?set REGISTRY to the address of the token network registry}"
[ $# -ge 2 ] || { echo 'usage: CHAIN_ID=… REGISTRY=0x… access.sh FOLDER NAME=ADDRESS[=STREAM]…' >&2; exit 2; }
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
  [[ $node =~ ^([a-z0-9-]+)=(0x[0-9a-fA-F]{40})(=[a-zA-Z0-9_-]+)?$ ]] ||
    { echo "access.sh: not NAME=ADDRESS or NAME=ADDRESS=STREAM: $node" >&2; exit 2; }
  line="${BASH_REMATCH[1]}=${BASH_REMATCH[2],,}${BASH_REMATCH[3]}"
  grep -qx -- "$line" names && continue
  ! grep -q "^${BASH_REMATCH[1]}=" names || { echo "access.sh: ${BASH_REMATCH[1]} is in $PWD/names already" >&2; exit 2; }
  echo "$line" >> names
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

network="sluice.$CHAIN_ID.${REGISTRY,,}"

listed() { # SUBJECT…
  printf '        "%s"\n' "$@"
}

user() { # NAME ADDRESS STREAM
  echo "  { user: \"CN=$1\", permissions: {"
  echo '      publish: ['
  listed "$network.*" "$network.*.presence"
  # All that a node does with its stream.
  [ -z "$3" ] || listed "sluice.replica.$3.>" "sluice.standby.$3" "\$JS.API.INFO" \
    "\$JS.API.STREAM."{CREATE,UPDATE,INFO,MSG.GET,PURGE,DELETE}".$3" \
    "\$JS.API.CONSUMER.*.$3" "\$JS.API.CONSUMER.*.$3.>" "\$JS.API.CONSUMER.MSG.NEXT.$3.>" \
    "\$JS.API.CONSUMER.DURABLE.CREATE.$3.>" "\$JS.ACK.$3.>" "\$JS.FC.$3.>"
  echo '      ]'
  echo '      subscribe: ['
  listed "$network.$2" "$network.$2.presence" "_INBOX.$2.>" "$network."{pathfinding,monitoring,hello}
  # The commands `sluice replica …` listen for answers as "operator".
  [ -z "$3" ] || listed "sluice.standby.$3" "_INBOX.operator.>"
  echo '      ]'
  echo '      allow_responses: true } }'
}

{
  echo "# Made by access.sh for chain $CHAIN_ID. Without a certificate of one of these, nobody is let in."
  echo 'authorization { users: ['
  while IFS='=' read -r name address stream; do user "$name" "$address" "$stream"; done < names
  echo '] }'
} > users.new
# Into the same file: a container to which it was given by itself would not see another one of this name.
cat users.new > users.conf
rm users.new

while IFS='=' read -r name _; do
  mkdir -p "nodes/$name"
  certificate "nodes/$name/broker" "$name" authority 'extendedKeyUsage=clientAuth\n'
  cp authority/authority.pem "nodes/$name/broker-authority.pem"
done < names
