#!/usr/bin/env bash
# What the tests need and npm cannot bring: a message broker, a browser and shells. Quick and silent when they are there.
set -euo pipefail

has() {
  PATH="$PATH:/usr/sbin:/usr/local/bin" command -v "$1" >/dev/null
}

missing=()
for program in nats-server chromium zsh fish; do
  has "$program" || missing+=("$program")
done
[ ${#missing[@]} = 0 ] && exit 0

give_up() {
  echo "setup: $1" >&2
  if has nats-server && has chromium; then
    echo "setup: going on without ${missing[*]}: the tests that need them are skipped." >&2
    exit 0
  fi
  echo "setup: install ${missing[*]} (https://docs.nats.io, https://www.chromium.org, or your system's" >&2
  echo "setup: packages of these names), put them into PATH, and run this again." >&2
  exit 1
}

command -v apt-get >/dev/null || give_up "there is no apt-get to install ${missing[*]} with."
as_root=()
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    give_up "only root may install them (try: sudo apt-get install ${missing[*]})."
  fi
fi

echo "setup: installing ${missing[*]} with apt-get ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_them() {
  # A package would start a broker of its own as a service; the tests start theirs themselves.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1
}
# The lists may be absent or old: fetch them only when the first attempt fails.
if ! install_them && ! { "${as_root[@]}" apt-get update >>"$log" 2>&1 && install_them; }; then
  tail -n 20 "$log" >&2
  give_up 'apt-get could not install them.'
fi
for program in "${missing[@]}"; do
  has "$program" || give_up "apt-get installed $program, but it is not to be found."
done
echo 'setup: done.'
