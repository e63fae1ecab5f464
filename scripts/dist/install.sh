#!/bin/sh
# Installs autoheal @VERSION@ for Linux (@ARCHITECTURE@, glibc @GLIBC@ or later): the program, its manual pages and its completions.
set -eu

ADDRESS="@ADDRESS@"
ARCHIVE="@ARCHIVE@"
SHA256="@SHA256@"
PREFIX="${HOME:-}/.local"

usage() {
  cat <<'HELP'
Usage: install.sh [--prefix FOLDER] [--from ADDRESS]

Installs autoheal @VERSION@ below a prefix, without root: bin/autoheal, share/man/man1, and completions for bash, fish and
zsh. The archive is fetched by curl or wget and checked against the SHA-256 in this script. To remove autoheal again, delete
what `tar -tf` lists of the archive.

Options:
  --prefix FOLDER   Install below this folder [default: ~/.local]
  --from ADDRESS    Fetch the archive from this address, or take it from this folder
  -h, --help        Print help

Examples:
  sh install.sh
  sh install.sh --prefix /usr/local
HELP
}

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case "$1" in
    --prefix | --from)
      [ $# -ge 2 ] || fail "$1 needs a value"
      if [ "$1" = --prefix ]; then PREFIX="$2"; else ADDRESS="$2"; fi
      shift 2
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done

[ -n "$ADDRESS" ] || fail "this copy does not know where releases are published: name the address by --from"
case "$PREFIX" in /*) ;; *) fail "the prefix must be an absolute path: $PREFIX" ;; esac
[ "$(uname -s)" = Linux ] || fail "there is only a build for Linux; build it from source elsewhere"
[ "$(uname -m)" = "@ARCHITECTURE@" ] || fail "this build is for @ARCHITECTURE@, and this machine is $(uname -m): build it from source"
libc="$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)"
[ -n "$libc" ] || fail "this build needs glibc @GLIBC@ or later, and this system has another C library: build it from source"
oldest="$(printf '%s\n%s\n' "$libc" "@GLIBC@" | sort -V | head -n 1)"
[ "$oldest" = "@GLIBC@" ] || fail "this build needs glibc @GLIBC@ or later, and this system has $libc: build it from source"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ -d "$ADDRESS" ]; then
  cp "$ADDRESS/$ARCHIVE" "$work/$ARCHIVE" || fail "there is no $ARCHIVE in $ADDRESS"
elif command -v curl >/dev/null 2>&1; then
  curl --fail --silent --show-error --location --output "$work/$ARCHIVE" "$ADDRESS/$ARCHIVE" || fail "cannot fetch $ADDRESS/$ARCHIVE"
elif command -v wget >/dev/null 2>&1; then
  wget -q -O "$work/$ARCHIVE" "$ADDRESS/$ARCHIVE" || fail "cannot fetch $ADDRESS/$ARCHIVE"
else
  fail "neither curl nor wget is installed"
fi
found="$(sha256sum "$work/$ARCHIVE" | cut -d' ' -f1)"
[ "$found" = "$SHA256" ] || fail "$ARCHIVE is not the file of this release: its SHA-256 is $found, and $SHA256 is expected. Nothing was installed."

# Unpacked first: what cannot be unpacked is not half installed.
mkdir "$work/tree"
tar -xzf "$work/$ARCHIVE" -C "$work/tree" --strip-components=1 || fail "cannot unpack $ARCHIVE"
mkdir -p "$PREFIX" 2>/dev/null && cp -R "$work/tree/share" "$PREFIX/" || fail "cannot write below $PREFIX: choose another folder by --prefix"
mkdir -p "$PREFIX/bin"
# A running program cannot be written over; it can be replaced.
cp "$work/tree/bin/autoheal" "$PREFIX/bin/.autoheal.new"
mv -f "$PREFIX/bin/.autoheal.new" "$PREFIX/bin/autoheal"

"$PREFIX/bin/autoheal" --version >/dev/null || fail "$PREFIX/bin/autoheal was installed and does not start"
printf 'installed: %s (%s)\n' "$PREFIX/bin/autoheal" "$("$PREFIX/bin/autoheal" --version)"
case ":$PATH:" in
  *":$PREFIX/bin:"*) printf 'next: autoheal check\n' ;;
  *) printf 'next: export PATH="%s/bin:$PATH"; autoheal check\n' "$PREFIX" ;;
esac
