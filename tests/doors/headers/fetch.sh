#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetch the headers of old CUDA toolkits; see the usage text below.
set -eu

usage() {
    cat <<'END'
usage: fetch.sh [-C FOLDER] VERSION...

Fetches the headers of CUDA toolkits out of the packages of the Debian archive (non-free), into
FOLDER/VERSION/include (default: ${XDG_CACHE_HOME:-$HOME/.cache}/cushim/headers). VERSION is 11.2,
11.8, 12.4, 12.5 or all. A package has 0.8 GB, of which only the headers are kept. Nothing is
installed, the system's package lists stay as they are, and what is there already is not fetched
again.

The archive is the mirror that this machine uses, else deb.debian.org; CUSHIM_DEBIAN_ARCHIVE=URI
names another.

Exit status: 0 all that was asked for is there; 77 something cannot be had, and the reason is
printed; 1 what came is not what was expected.
END
}

# Version, version of the package nvidia-cuda-dev, SHA-256 of its cuda.h.
toolkits() {
    cat <<'END'
11.2 11.2.2-3+deb11u3 d765adfd238526326eab2bd1f32f407082d2510a38351f12ad897e2a81c7708b
11.8 11.8.89~11.8.0-5~deb12u1 55639151a971a10c28d627a98dcd406c6320a5b4e5b67dd9d229056ed5c8e045
12.4 12.4.127~12.4.1-2 2121d5551f2869145b7362a30d94a42da4dac9cb478eeeb3685e18fade82e5bc
12.5 12.5.39~12.5.0-2+b1 d641ec587bb88c6f57841bae7fa9b0b2f03802a4366d2fab5b0c8d99803691b1
END
}

skip() {
    echo "no headers: $*"
    exit 77
}

# Whether the cuda.h in FOLDER is there with the sum SUM.
is_sound() {
    [ -f "$1/cuda.h" ] && [ "$(sha256sum <"$1/cuda.h")" = "$2  -" ]
}

# The mirror of Debian that this machine uses: http://deb.debian.org/debian.
archive() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        grep -oE '^(URIs:|deb ).*https?://[^ ]+/debian/?( |$)' |
        grep -oE 'https?://[^ ]+' | head -n 1 || true
}

# Make package lists of our own, so that the system's stay as they are.
write_sources() {
    uri=${CUSHIM_DEBIAN_ARCHIVE:-$(archive)}
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
    {
        echo 'Types: deb'
        echo "URIs: ${uri:-http://deb.debian.org/debian}"
        echo 'Suites: bookworm bullseye trixie sid experimental'
        echo 'Components: non-free'
        echo 'Architectures: amd64'
        echo 'Check-Valid-Until: no'
        # Without the key of the archive, the sums above still say what is accepted.
        if [ -f "$key" ]; then echo "Signed-By: $key"; else echo 'Trusted: yes'; fi
    } >"$work/parts/headers.sources"
}

apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Architecture=amd64 \
        -o APT::Sandbox::User=root -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

# Bring the headers of one toolkit into their place, or say why not.
fetch() {
    version=$1 package=$2 sum=$3
    rm -rf "$work/package"
    mkdir -p "$work/package/tree"
    if ! (cd "$work/package" && apt download "nvidia-cuda-dev=$package" >"$work/log" 2>&1); then
        echo "$version: nvidia-cuda-dev $package cannot be downloaded"
        sed 's/^/  apt: /' "$work/log" | head -n 4
        return
    fi
    dpkg-deb --fsys-tarfile "$work/package/"*.deb | tar -x -C "$work/package/tree" ./usr/include
    rm -f "$work/package/"*.deb
    if ! is_sound "$work/package/tree/usr/include" "$sum"; then
        echo "$version: cuda.h of $package is not the one whose sum is known here" >&2
        exit 1
    fi
    rm -rf "${folder:?}/$version"
    mkdir -p "$folder/$version"
    mv "$work/package/tree/usr/include" "$folder/$version/include"
}

folder=${XDG_CACHE_HOME:-${HOME:?}/.cache}/cushim/headers
case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
-C)
    [ $# -gt 2 ] || {
        usage >&2
        exit 1
    }
    folder=$2
    shift 2
    ;;
esac
[ $# -ge 1 ] || {
    usage >&2
    exit 1
}
[ "$*" != all ] || {
    # shellcheck disable=SC2046 # one word each
    set -- $(toolkits | cut -d' ' -f1)
}
for version in "$@"; do
    toolkits | grep -q "^$version " || {
        usage >&2
        exit 1
    }
done

mkdir -p "$folder" 2>/dev/null || skip "the folder $folder cannot be made"
[ -w "$folder" ] || skip "the folder $folder cannot be written"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "$folder/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

lacking=
for version in "$@"; do
    sum=$(toolkits | sed -n "s/^$version [^ ]* //p")
    is_sound "$folder/$version/include" "$sum" || lacking="$lacking $version"
done
if [ -n "$lacking" ]; then
    for tool in apt-get dpkg-deb; do
        command -v $tool >/dev/null || skip "they come in packages of Debian, and here is no $tool"
    done
    write_sources
    apt update >"$work/log" 2>&1 || true
    for version in $lacking; do
        # shellcheck disable=SC2046 # three words
        fetch $(toolkits | grep "^$version ")
    done
fi

for version in "$@"; do
    [ -f "$folder/$version/include/cuda.h" ] || skip "those of $version cannot be had"
done
echo "$# of $# versions in $folder"
