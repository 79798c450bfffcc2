#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Download the headers of old CUDA toolkits; see the usage text below.
set -euo pipefail
# shellcheck disable=SC2034 # debian.sh reads it
what=headers
# shellcheck source=tests/support/debian.sh
source "$(dirname "$0")/../../support/debian.sh"

usage() {
    cat <<'END'
usage: fetch.sh [-C FOLDER] VERSION...

Downloads the headers of CUDA toolkits from packages of the Debian archive (non-free) to
FOLDER/VERSION/include (default: ${XDG_CACHE_HOME:-$HOME/.cache}/cushim/headers). VERSION is 11.2,
11.8, 12.4, 12.5 or all. A package has 0.8 GB, of which only the headers are kept. Nothing is
installed, the system's package lists do not change, and existing files are not downloaded again.

The archive is the mirror that this machine uses, or else deb.debian.org;
CUSHIM_DEBIAN_ARCHIVE=URI names another.

Exit status: 0 all requested headers exist; 77 some are not available, and the reason is printed;
1 a download has the wrong contents.
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

# Download the headers of one toolkit to their place, or print why that fails.
fetch() {
    local version=$1 package=$2 sum=$3
    download nvidia-cuda-dev "$package" || return 0
    mkdir -p "$work/package/tree"
    dpkg-deb --fsys-tarfile "$work/package/"*.deb | tar -x -C "$work/package/tree" ./usr/include
    rm -f "$work/package/"*.deb
    if ! is_sound "$work/package/tree/usr/include/cuda.h" "$sum"; then
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
    toolkits | grep "^$version " >/dev/null || {
        usage >&2
        exit 1
    }
done

make_place "$folder"
lacking=
for version in "$@"; do
    sum=$(toolkits | sed -n "s/^$version [^ ]* //p")
    is_sound "$folder/$version/include/cuda.h" "$sum" || lacking="$lacking $version"
done
if [ -n "$lacking" ] && open_archive; then
    for version in $lacking; do
        # shellcheck disable=SC2046 # three words
        fetch $(toolkits | grep "^$version ")
    done
fi

for version in "$@"; do
    [ -f "$folder/$version/include/cuda.h" ] || skip "those of $version are not available"
done
echo "$# of $# versions in $folder"
