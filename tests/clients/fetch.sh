#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Download NVIDIA's compilers of kernels for the suite `clients-kernels`; see the usage text below.
set -euo pipefail
# shellcheck disable=SC2034 # debian.sh reads it
what=compilers
# shellcheck source=tests/support/debian.sh
source "$(dirname "$0")/../support/debian.sh"

usage() {
    cat <<'END'
usage: fetch.sh [FOLDER]

Downloads the libraries with which numba and pygpu compile kernels (NVVM with its libdevice, and
NVRTC; CUDA 11.8) from packages of the Debian archive (non-free) to FOLDER (default:
${XDG_CACHE_HOME:-$HOME/.cache}/cushim/compilers), which can then be used as CUDA_HOME. This
downloads about 100 MB and keeps 90 MB. Nothing is installed, the system's package lists do not
change, and existing files are not downloaded again.

The archive is the mirror that this machine uses, or else deb.debian.org;
CUSHIM_DEBIAN_ARCHIVE=URI names another.

Exit status: 0 all files exist; 77 a file is not available, and the reason is printed; 1 a download
has the wrong contents.
END
}

version=11.8.89~11.8.0-5~deb12u1

# Package, file in it, place in FOLDER, SHA-256.
files() {
    cat <<'END'
libnvvm4 libnvvm.so.4.0.0 nvvm/lib64/libnvvm.so.4.0.0 798e2aad20b90cb1187a9dd23e04057902b0f1d7866ebb6fed42c60f456b6c2b
nvidia-cuda-toolkit libdevice.10.bc nvvm/libdevice/libdevice.10.bc 1fc1bc8d4131d5a59a91fc26f4908886e231f842c9e83ae951979ff3df82bdb5
libnvrtc11.2 libnvrtc.so.11.8.89 lib64/libnvrtc.so 672ee68399b0aa98cf52d056302487da8cce72571034bb470c4cdabb406ca3e2
libnvrtc-builtins11.8 libnvrtc-builtins.so.11.8.89 lib64/libnvrtc-builtins.so.11.8 2dc4bf687034e89e117ef82fb300291e4833319a2d47722005d40eeafbafdaaf
END
}

# Print the rows whose files are missing.
lacking() {
    files | while read -r package file place sum; do
        is_sound "$folder/$place" "$sum" || echo "$package $file $place $sum"
    done
}

# Download one file to its place, or print why that fails.
fetch() {
    local package=$1 file=$2 place=$3 sum=$4 found
    download "$package" "$version" || return 0
    dpkg-deb -x "$work/package/"*.deb "$work/package/tree"
    found=$(find "$work/package/tree" -type f -name "$file")
    if [ -z "$found" ] || ! is_sound "$found" "$sum"; then
        echo "$file of $package $version is not the one whose sum is known here" >&2
        exit 1
    fi
    mkdir -p "$folder/${place%/*}"
    mv "$found" "$folder/$place"
}

case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
-*)
    usage >&2
    exit 1
    ;;
esac
[ $# -le 1 ] || {
    usage >&2
    exit 1
}
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || skip "they are for x86-64, and this is $(uname -m)"

make_place "${1:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/cushim/compilers}"
lacking >"$work/lacking"
if [ -s "$work/lacking" ] && open_archive; then
    while read -r package file place sum; do
        fetch "$package" "$file" "$place" "$sum"
    done <"$work/lacking"
fi
lacking >"$work/lacking"
[ ! -s "$work/lacking" ] || skip "$(cut -d' ' -f2 <"$work/lacking" | tr '\n' ' ')not available"
echo "all of $(files | wc -l) files in $folder"
