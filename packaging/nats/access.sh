#!/usr/bin/env bash
# Makes what a NATS cluster for nodes needs, in a folder: certificates of the servers, one for each node, and users.conf
# with what each may do. Run it again to add nodes, what is there stays; then send each server a SIGHUP.
#
#   CHAIN_ID=1 REGISTRY=0x… packaging/nats/access.sh FOLDER alice=0x…=shop bob=0x…
#
# Here alice may keep the stream `shop` for her standby; bob only says and hears messages. Give streams to nodes of your own
# only: permissions of NATS do not keep streams of one account apart (docs/messages.md).
# A leaf is a server on the machine of nodes, or at their site, with leaf.conf; the others then have hub.conf:
#
#   CHAIN_ID=1 REGISTRY=0x… packaging/nats/access.sh FOLDER bob=0x… carol=0x… site=bob,carol
#
# FOLDER/leaves/site is for it. It may say and hear what bob and carol may together, and give any answer to a question for a
# key: whoever has its machine is both of them to the servers. It carries no streams, so its nodes have none.
# SERVERS: names and addresses under which the servers are reached. REGISTRY: the token network registry.
# FOLDER/tls and FOLDER/users.conf are for the servers; FOLDER/nodes/NAME for each node. Keep FOLDER/authority at home:
# whoever has its keys can join as any node, or as a server.
set -euo pipefail

: "${CHAIN_ID:?set CHAIN_ID}" "${REGISTRY:?set REGISTRY to the address of the token network registry}"
[ $# -ge 2 ] || { echo 'usage: CHAIN_ID=… REGISTRY=0x… access.sh FOLDER NAME=ADDRESS[=STREAM]… LEAF=NAME,NAME…' >&2; exit 2; }
servers=${SERVERS:-nats-1 nats-2 nats-3 localhost 127.0.0.1}
days=${DAYS:-825}
umask 077
mkdir -p "$1"
cd "$1"
shift
mkdir -p authority tls nodes leaves
for given in CHAIN_ID REGISTRY; do
  [[ ${!given} =~ ^(0x[0-9a-fA-F]{40}|[0-9]+)$ ]] || { echo "access.sh: $given cannot be ${!given}" >&2; exit 2; }
done
give_up() { echo "access.sh: $1" >&2; exit 2; }
touch names
address='(0x[0-9a-fA-F]{40})'
for given in "$@"; do
  if [[ $given =~ ^([a-z0-9-]+)=$address(=[a-zA-Z0-9_-]+)?$ ]]; then
    line="${BASH_REMATCH[1]}=${BASH_REMATCH[2],,}${BASH_REMATCH[3]}"
  elif [[ $given =~ ^([a-z0-9-]+)=([a-z0-9-]+(,[a-z0-9-]+)*)$ ]]; then
    line=$given
    [[ " $servers " != *" ${BASH_REMATCH[1]} "* ]] || give_up "${BASH_REMATCH[1]} is the name of a server"
    for node in ${BASH_REMATCH[2]//,/ }; do
      grep -qxE -- "$node=$address" names || give_up "$node is no node in $PWD/names, or keeps a stream, which no leaf carries"
    done
  else
    give_up "not NAME=ADDRESS, NAME=ADDRESS=STREAM or LEAF=NAME,NAME…: $given"
  fi
  grep -qx -- "$line" names && continue
  ! grep -q "^${line%%=*}=" names || give_up "${line%%=*} is in $PWD/names already"
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

user() { # NAME KIND STREAM ADDRESS…
  local name=$1 kind=$2 stream=$3 heard
  shift 3
  # A certificate is good for one kind of connection: leaves are told who listens.
  echo "  { user: \"CN=$name\", allowed_connection_types: [$kind], permissions: {"
  echo '      publish: ['
  listed "$network.*" "$network.*.presence"
  # No server lets a leaf answer only what it was asked. These answers are no use to whoever has not the key.
  [ "$kind" != LEAFNODE ] || listed '_INBOX.*.presence.>'
  # All that a node does with its stream.
  [ -z "$stream" ] || listed "sluice.replica.$stream.>" "sluice.standby.$stream" "\$JS.API.INFO" \
    "\$JS.API.STREAM."{CREATE,UPDATE,INFO,MSG.GET,PURGE,DELETE}".$stream" \
    "\$JS.API.CONSUMER.*.$stream" "\$JS.API.CONSUMER.*.$stream.>" "\$JS.API.CONSUMER.MSG.NEXT.$stream.>" \
    "\$JS.API.CONSUMER.DURABLE.CREATE.$stream.>" "\$JS.ACK.$stream.>" "\$JS.FC.$stream.>"
  echo '      ]'
  echo '      subscribe: ['
  for heard in "$@"; do listed "$network.$heard" "$network.$heard.presence" "_INBOX.$heard.>"; done
  listed "$network."{pathfinding,monitoring,hello}
  # The commands `sluice replica …` listen for answers as "operator".
  [ -z "$stream" ] || listed "sluice.standby.$stream" "_INBOX.operator.>"
  echo '      ]'
  echo "      allow_responses: $([ "$kind" = LEAFNODE ] && echo false || echo true) } }"
}

address_of() { # NAME
  grep "^$1=" names | cut -d = -f 2
}

# For the servers all in `names`; for a leaf the nodes behind it.
users() { # FILE LINE…
  local file=$1 line name rest node behind
  shift
  {
    echo "# Made by access.sh for chain $CHAIN_ID. Without a certificate of one of these, nobody is let in."
    echo 'authorization { users: ['
    for line in "$@"; do
      name=${line%%=*} rest=${line#*=}
      if [[ $rest =~ ^$address(=(.*))?$ ]]; then
        user "$name" STANDARD "${BASH_REMATCH[3]}" "${BASH_REMATCH[1]}"
      else
        behind=()
        for node in ${rest//,/ }; do behind+=("$(address_of "$node")"); done
        user "$name" LEAFNODE '' "${behind[@]}"
      fi
    done
    echo '] }'
  } > "$file.new"
  # Into the same file: a container to which it was given by itself would not see another one of this name.
  cat "$file.new" > "$file"
  rm "$file.new"
}

mapfile -t lines < names
users users.conf "${lines[@]}"
for line in "${lines[@]}"; do
  name=${line%%=*} rest=${line#*=}
  if [[ $rest =~ ^$address ]]; then
    mkdir -p "nodes/$name"
    certificate "nodes/$name/broker" "$name" authority 'extendedKeyUsage=clientAuth\n'
    cp authority/authority.pem "nodes/$name/broker-authority.pem"
  else
    mkdir -p "leaves/$name/tls"
    certificate "leaves/$name/tls/leaf" "$name" authority 'extendedKeyUsage=clientAuth\n'
    certificate "leaves/$name/tls/server" "$name" authority \
      "subjectAltName=DNS:$name,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
    cp authority/authority.pem "leaves/$name/tls/"
    behind=()
    for node in ${rest//,/ }; do behind+=("$node=$(address_of "$node")"); done
    users "leaves/$name/users.conf" "${behind[@]}"
  fi
done
