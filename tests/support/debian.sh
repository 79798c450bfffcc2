# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Files from packages of the Debian archive, for tests. Nothing is installed, the system's package
# lists do not change, and all suites are searched, also those that this machine does not use.
#
# usage: what=WORD; source debian.sh; then, in this order:
#
#     make_place FOLDER              creates $folder (absolute) and $work in it, which is removed at exit
#     open_archive                   downloads the package lists, or prints why it cannot, and fails
#     download PACKAGE VERSION       downloads $work/package/*.deb, or prints why it cannot, and fails
#
# `skip` ends a script with status 77, and prints that WORD is not available.
#
# The archive is the mirror that this machine uses, or else deb.debian.org;
# CUSHIM_DEBIAN_ARCHIVE=URI names another.

skip() {
    echo "no ${what:?}: $*"
    exit 77
}

# Whether FILE exists and has the SHA-256 digest SUM.
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

# Print the Debian mirror that this machine uses, such as http://deb.debian.org/debian.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        grep -oE '^(URIs:|deb ).*https?://[^ ]+/debian/?( |$)' |
        grep -oE 'https?://[^ ]+' | head -n 1 || true
}

# Run apt-get with separate package lists.
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Architecture=amd64 \
        -o APT::Sandbox::User=root -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
}

open_archive() {
    local tool uri key=/usr/share/keyrings/debian-archive-keyring.gpg
    for tool in apt-get dpkg-deb; do
        command -v "$tool" >/dev/null ||
            skip "they are in Debian packages, and $tool is not installed"
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
        # Without the archive's key, the scripts still compare the digests of the files.
        if [ -f "$key" ]; then echo "Signed-By: $key"; else echo 'Trusted: yes'; fi
    } >"$work/parts/archive.sources"
    # A missing suite does not matter if another suite has the package.
    apt update >"$work/log" 2>&1 || true
    ls "$work"/lists/*Packages* >/dev/null 2>&1 || complain "the archive cannot be reached"
}

download() {
    rm -rf "$work/package"
    mkdir -p "$work/package"
    (cd "$work/package" && apt download "$1=$2" >"$work/log" 2>&1) ||
        complain "$1 $2 cannot be downloaded"
}

# Print what failed and the first lines of apt-get's output, and fail.
complain() {
    echo "$1"
    sed 's/^/  apt: /' "$work/log" | head -n 2
    return 1
}
