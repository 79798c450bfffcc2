# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Packages of the Debian archive as material for tests: nothing is installed, the system's package
# lists stay unchanged, and suites that this machine does not use are asked as well.
#
# usage: what=WORD; source debian.sh; then, in this order:
#
#     make_place FOLDER              makes $folder, absolute, and $work in it, which goes at the end
#     open_archive                   fetches the lists, or says why not and fails
#     download PACKAGE VERSION       brings $work/package/*.deb, or says why not and fails
#
# `skip` ends a script with 77: WORD, what it would have brought, cannot be had.
#
# The archive is the mirror that this machine uses, else deb.debian.org; CUSHIM_DEBIAN_ARCHIVE=URI
# names another.

skip() {
    echo "no ${what:?}: $*"
    exit 77
}

# Whether FILE is there with the SHA-256 SUM.
is_sound() {
    [ -f "$1" ] && [ "$(sha256sum <"$1")" = "$2  -" ]
}

make_place() {
    mkdir -p "$1" 2>/dev/null || skip "the folder $1 cannot be made"
    [ -w "$1" ] || skip "the folder $1 cannot be written"
    folder=$(cd "$1" && pwd)
    work=$(mktemp -d "$folder/.fetch-XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
}

# The mirror of Debian that this machine uses: http://deb.debian.org/debian.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        grep -oE '^(URIs:|deb ).*https?://[^ ]+/debian/?( |$)' |
        grep -oE 'https?://[^ ]+' | head -n 1 || true
}

# apt-get with package lists of our own.
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Architecture=amd64 \
        -o APT::Sandbox::User=root -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

open_archive() {
    local tool uri key=/usr/share/keyrings/debian-archive-keyring.gpg
    for tool in apt-get dpkg-deb; do
        command -v "$tool" >/dev/null ||
            skip "they come in packages of Debian, and here is no $tool"
    done
    uri=${CUSHIM_DEBIAN_ARCHIVE:-$(mirror)}
    mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
    {
        echo 'Types: deb'
        echo "URIs: ${uri:-http://deb.debian.org/debian}"
        echo 'Suites: bookworm bullseye trixie sid experimental'
        echo 'Components: non-free'
        echo 'Architectures: amd64'
        echo 'Check-Valid-Until: no'
        # Without the key of the archive, the sums of the files still say what is accepted.
        if [ -f "$key" ]; then echo "Signed-By: $key"; else echo 'Trusted: yes'; fi
    } >"$work/parts/archive.sources"
    # A suite that is gone does not matter, if another one has the package.
    apt update >"$work/log" 2>&1 || true
    ls "$work"/lists/*Packages* >/dev/null 2>&1 || complain "the archive cannot be reached"
}

download() {
    rm -rf "$work/package"
    mkdir -p "$work/package"
    (cd "$work/package" && apt download "$1=$2" >"$work/log" 2>&1) ||
        complain "$1 $2 cannot be downloaded"
}

# Say what failed, with the first words of apt-get, and fail.
complain() {
    echo "$1"
    sed 's/^/  apt: /' "$work/log" | head -n 2
    return 1
}
