#!/usr/bin/env bash
# What the tests need and npm cannot bring: a message broker. Quick and silent when it is there.
set -euo pipefail

has_nats() {
  PATH="$PATH:/usr/sbin:/usr/local/bin" command -v nats-server >/dev/null
}

give_up() {
  echo "setup: $1" >&2
  echo "setup: install nats-server (https://docs.nats.io, or your system's package of that name)," >&2
  echo "setup: put it into PATH, and run this again." >&2
  exit 1
}

has_nats && exit 0
command -v apt-get >/dev/null || give_up 'nats-server is missing, and there is no apt-get to install it with.'
as_root=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    give_up 'nats-server is missing, and only root may install it (try: sudo apt-get install nats-server).'
  fi
fi

echo 'setup: nats-server is missing; installing it with apt-get ...'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_it() {
  # The package would start a broker of its own as a service; the tests start theirs themselves.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y --no-install-recommends nats-server >>"$log" 2>&1
}
# The lists may be absent or old: fetch them only when the first attempt fails.
if ! install_it && ! { "${as_root[@]}" apt-get update >>"$log" 2>&1 && install_it; }; then
  tail -n 20 "$log" >&2
  give_up 'apt-get could not install nats-server.'
fi
has_nats || give_up 'apt-get installed nats-server, but it is not to be found.'
echo 'setup: nats-server is installed.'
