# Sourced by ./run and ./test: finds or installs what they need, starts services, and ends what it started.
#
# Every function says what it does on standard error. A part that cannot be had returns 1 after setting REASON; the
# caller decides whether that is a failure or a loud skip.
# shellcheck shell=bash

CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/autoheal"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$CACHE/target}"
MINIMUM_RUST=95 # the minor version that `rust-version` in Cargo.toml names
REASON=""
APT_UPDATED=""
CLEANUPS=()

say() { printf '==> %s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

unavailable() {
  # shellcheck disable=SC2034 # read by the scripts that source this one
  REASON="$*"
  return 1
}

# Runs a command as root, or returns 1 when nobody may here.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 1
  fi
}

may_be_root() { as_root true; }

# Runs what later lines leave to be undone, the last one first, however the script ends.
at_exit() { CLEANUPS+=("$1"); }

undo_everything() {
  local index
  for ((index = ${#CLEANUPS[@]} - 1; index >= 0; index--)); do
    "${CLEANUPS[index]}" || true
  done
  CLEANUPS=()
}

trap undo_everything EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Installs the distribution's packages that are not installed yet.
install_packages() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  have apt-get || unavailable "missing: ${missing[*]} (no apt-get here: install them by hand)" || return 1
  may_be_root || unavailable "missing: ${missing[*]} (run as root: apt-get install ${missing[*]})" || return 1
  if [ -z "$APT_UPDATED" ]; then
    say "updating the package lists"
    as_root apt-get update -qq >&2 || say "apt-get update failed: going on with the lists at hand"
    APT_UPDATED=yes
  fi
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    unavailable "apt-get install ${missing[*]} failed"
}

# Provides `$1`, by installing the packages named after it when it is not on PATH.
need_command() {
  local name="$1"
  shift
  have "$name" || install_packages "$@" || return 1
  have "$name" || unavailable "$name is not on PATH although $* is installed"
}

# Rust: what the machine has, else the distribution's rustup.
need_rust() {
  # shellcheck disable=SC1091
  have cargo || { [ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"; } || true
  have cc || install_packages build-essential || return 1
  if ! have cargo; then
    install_packages curl ca-certificates rustup ||
      unavailable "no cargo, and this distribution has no rustup package: install Rust as https://rustup.rs says" || return 1
    say "installing the stable Rust toolchain"
    rustup default stable >&2 || unavailable "rustup could not install a toolchain" || return 1
  fi
  local minor
  minor="$(rustc --version | cut -d. -f2)"
  [ "$minor" -ge "$MINIMUM_RUST" ] || unavailable "$(rustc --version) is too old: rustup update stable"
}

# cargo-nextest: from PATH, else built once into the cache.
need_nextest() {
  export PATH="$PATH:$CACHE/tools/bin"
  have cargo-nextest && return 0
  say "building cargo-nextest into $CACHE/tools (once; some minutes)"
  cargo install --quiet --locked --root "$CACHE/tools" cargo-nextest >&2 || unavailable "cargo install cargo-nextest failed"
}

# A Python with what a file of requirements names, kept by the hash of what it holds; VENV is where it is.
python_with() {
  local name="$1" requirements="$2" hash
  if ! have python3 || ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    install_packages python3 python3-venv || return 1
  fi
  hash="$({ cat "$requirements"; python3 -c 'import sys; print(sys.version, sys.executable)'; } | sha256sum | cut -c1-16)"
  VENV="$CACHE/$name-$hash"
  if [ ! -f "$VENV/complete" ]; then
    say "making a Python environment for the tests in $VENV"
    rm -rf "$VENV"
    python3 -m venv "$VENV" >&2 || unavailable "python3 -m venv failed" || return 1
    "$VENV/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" >&2 ||
      unavailable "pip could not install what $requirements names" || return 1
    touch "$VENV/complete"
  fi
}

# A Python with pytest, ruff and pydantic, first on PATH.
need_python() {
  python_with python "$ROOT/scripts/requirements-test.txt" || return 1
  export PATH="$VENV/bin:$PATH"
}

# schemathesis, which holds the server against its description; SCHEMATHESIS is the Python that has it.
need_schemathesis() {
  python_with schemathesis "$ROOT/scripts/schemathesis/requirements.txt" || return 1
  # shellcheck disable=SC2034 # read by ./test
  SCHEMATHESIS="$VENV/bin/python"
}

# The libraries that the Python package has adapters for; PYTHON_PACKAGE is the Python that has them.
need_python_package() {
  python_with python-package "$ROOT/scripts/python-package/requirements.txt" || return 1
  # shellcheck disable=SC2034 # read by ./test
  PYTHON_PACKAGE="$VENV/bin/python"
}

# One file of a package of the npm registry, kept by the package's name and believed by its SHA-512; FILE is where it is. For what the
# tests compare with and this repository is not to hold.
npm_file() {
  local package="$1" hash="$2" file="$3" folder
  need_node || return 1
  folder="$CACHE/npm-$(tr -c 'a-z0-9.\n' - <<<"$package")"
  if [ ! -f "$folder/complete" ]; then
    say "fetching $package"
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$folder" && npm pack --silent "$package" >package.name) || unavailable "npm could not fetch $package" || return 1
    (cd "$folder" && sha512sum --check --quiet - <<<"$hash  $(cat package.name)") >&2 ||
      unavailable "$package is not what it was" || return 1
    tar -xzf "$folder/$(cat "$folder/package.name")" -C "$folder" "$file" || unavailable "$package lacks $file" || return 1
    rm "$folder/$(cat "$folder/package.name")"
    touch "$folder/complete"
  fi
  # shellcheck disable=SC2034 # read by who called
  FILE="$folder/$file"
}

# GitHub's description of its API, against which the tests hold what they ask and what the fake GitHub answers.
need_github_description() {
  npm_file "@octokit/openapi@23.0.2" \
    a55f0cecbf46636dc0c9b36f4e6a369f28e6a669edebedac444fedaabd192d070f4b8967c3bbb979918d9b044d9010b70fb8195db171e401f32d455105718386 \
    package/generated/api.github.com.json || return 1
  export AUTOHEAL_TEST_GITHUB_DESCRIPTION="$FILE"
}

# GitHub's examples of the events that it sends.
need_webhook_examples() {
  npm_file "@octokit/webhooks-examples@7.6.1" \
    0dee94dd707a3b70ed09aedb2a008ccd31dd7a8a6aa99e92362bcc6099caeb989eaca2f5027348034b644580914bb970193efdd9df8fb3559b7c796ca3a3329d \
    package/api.github.com/index.json || return 1
  export AUTOHEAL_TEST_WEBHOOK_EXAMPLES="$FILE"
}

# Node with npm: what the machine has, else the distribution's.
need_node() {
  need_command node nodejs || return 1
  need_command npm npm
}

# The dashboard, built beside the clone: DASHBOARD is its folder there, DASHBOARD_DIST the page that goes into the binary.
need_dashboard() {
  need_node || return 1
  local lock modules hash folder
  lock="$(sha256sum <"$ROOT/dashboard/package-lock.json" | cut -c1-16)"
  modules="$CACHE/dashboard-modules-$lock"
  if [ ! -f "$modules/complete" ]; then
    say "installing what the dashboard is built with in $modules"
    rm -rf "$modules"
    mkdir -p "$modules"
    cp "$ROOT/dashboard/package.json" "$ROOT/dashboard/package-lock.json" "$modules/"
    (cd "$modules" && npm ci --silent --ignore-scripts --no-audit --no-fund >&2) ||
      unavailable "npm could not install what dashboard/package-lock.json names" || return 1
    touch "$modules/complete"
  fi
  hash="$(cd "$ROOT" && git ls-files -z --cached --others --exclude-standard dashboard openapi.json |
    sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)"
  folder="$CACHE/dashboard-$hash"
  if [ ! -f "$folder/complete" ]; then
    say "building the dashboard in $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$ROOT" && git ls-files -z --cached --others --exclude-standard dashboard openapi.json |
      xargs -0 cp --parents -t "$folder") || unavailable "the dashboard's files could not be copied" || return 1
    ln -s "$modules/node_modules" "$folder/dashboard/node_modules"
    (cd "$folder/dashboard" && npm run --silent build >&2) || unavailable "the dashboard could not be built" || return 1
    touch "$folder/complete"
  fi
  export DASHBOARD="$folder/dashboard" DASHBOARD_DIST="$folder/dashboard/dist"
}

# The language servers that the tests talk to, last on PATH, kept by the hash of what they are.
need_language_servers() {
  need_node || return 1
  local wanted="$ROOT/scripts/language-servers" hash folder
  hash="$(cat "$wanted/package.json" "$wanted/package-lock.json" | sha256sum | cut -c1-16)"
  folder="$CACHE/language-servers-$hash"
  if [ ! -f "$folder/complete" ]; then
    say "installing language servers for the tests in $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$wanted/package.json" "$wanted/package-lock.json" "$folder/"
    (cd "$folder" && npm ci --silent --ignore-scripts --no-audit --no-fund >&2) ||
      unavailable "npm could not install what $wanted names" || return 1
    touch "$folder/complete"
  fi
  export PATH="$PATH:$folder/node_modules/.bin"
}

# bubblewrap, and a kernel that lets it work.
need_bubblewrap() {
  need_command bwrap bubblewrap || return 1
  bwrap --ro-bind / / --unshare-all true 2>/dev/null ||
    unavailable "bubblewrap cannot make namespaces here (as root: sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap)"
}

docker_answers() { docker info >/dev/null 2>&1; }

start_dockerd() {
  local log="$1"
  shift
  say "starting dockerd${*:+ $*} (log: $log)"
  # No bridge and no firewall rules: containers of the sandbox have no network, and a restricted machine has neither.
  # The shell that becomes dockerd tells its own pid, so that nothing else is ever stopped.
  # shellcheck disable=SC2016
  as_root sh -c 'echo $$ >"$0"; log="$1"; shift; exec dockerd "$@" >>"$log" 2>&1' "$DOCKER_PID" "$log" \
    --iptables=false --ip6tables=false --bridge=none --ip-forward=false "$@" &
  local tries
  for ((tries = 0; tries < 60; tries++)); do
    docker_answers && return 0
    sleep 0.5
    kill -0 $! 2>/dev/null || return 1
  done
  return 1
}

stop_dockerd() {
  [ -s "$DOCKER_PID" ] || return 0
  say "stopping dockerd"
  as_root kill "$(cat "$DOCKER_PID")" 2>/dev/null || true
  rm -f "$DOCKER_PID"
}

# A Docker engine that answers: the running one, else one that ends with this script.
need_docker() {
  if ! have docker || ! have dockerd; then
    docker_answers || install_packages docker.io || return 1
  fi
  docker_answers && return 0
  may_be_root || unavailable "no Docker engine answers, and only root can start one" || return 1
  local log
  mkdir -p "$CACHE"
  log="$CACHE/dockerd.log"
  : >"$log"
  DOCKER_PID="$(mktemp)"
  at_exit stop_dockerd
  start_dockerd "$log" || start_dockerd "$log" --storage-driver=vfs ||
    unavailable "dockerd does not start here (see $log)"
}

postgres_programs() {
  local programs
  programs="$(find /usr/lib/postgresql/*/bin -name initdb 2>/dev/null | sort -V | tail -1)"
  [ -n "$programs" ] && dirname "$programs"
}

# PostgreSQL refuses to run as root, so root lends it the user that its package made.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then
    runuser -u postgres -- "$@"
  else
    "$@"
  fi
}

stop_cluster() {
  as_postgres "$(postgres_programs)/pg_ctl" -D "$1/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$1"
}

stop_postgres() {
  say "stopping PostgreSQL"
  stop_cluster "$POSTGRES"
}

# A private PostgreSQL cluster on the loopback address; AUTOHEAL_TEST_POSTGRES is its URL.
need_postgres() {
  [ -z "${AUTOHEAL_TEST_POSTGRES:-}" ] || return 0
  postgres_programs >/dev/null || install_packages postgresql || return 1
  local programs port password stale owner
  programs="$(postgres_programs)" || unavailable "no initdb under /usr/lib/postgresql" || return 1
  # A script that was killed outright leaves its cluster behind: the folder's name tells whose it was.
  for stale in "${TMPDIR:-/tmp}"/autoheal-postgres.*; do
    owner="$(basename "$stale" | cut -d. -f2)"
    [ ! -d "$stale" ] || kill -0 "$owner" 2>/dev/null || stop_cluster "$stale"
  done
  POSTGRES="$(mktemp -d "${TMPDIR:-/tmp}/autoheal-postgres.$$.XXXXXX")"
  at_exit stop_postgres
  password="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
  printf '%s' "$password" >"$POSTGRES/password"
  [ "$(id -u)" != 0 ] || chown -R postgres "$POSTGRES"
  say "starting a private PostgreSQL on port $port"
  as_postgres "$programs/initdb" -D "$POSTGRES/data" -U autoheal --auth=scram-sha-256 --pwfile="$POSTGRES/password" \
    --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$POSTGRES/initdb.log" 2>&1 ||
    unavailable "initdb failed: $(tail -1 "$POSTGRES/initdb.log")" || return 1
  # Tests kill processes, never the machine, so nothing is waited to reach the disk.
  as_postgres "$programs/pg_ctl" -D "$POSTGRES/data" -w -l "$POSTGRES/server.log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$POSTGRES -c fsync=off -c max_connections=300" \
    start >/dev/null 2>&1 || unavailable "PostgreSQL does not start: $(tail -1 "$POSTGRES/server.log")" || return 1
  export AUTOHEAL_TEST_POSTGRES="postgres://autoheal:$password@127.0.0.1:$port/postgres"
}
