#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Download NVIDIA's own user-mode driver library in nine generations; see the usage text below.
set -euo pipefail
# shellcheck disable=SC2034 # debian.sh reads it
what=drivers
# shellcheck source=tests/support/debian.sh
source "$(dirname "$0")/../support/debian.sh"

usage() {
    cat <<'END'
usage: fetch.sh [FOLDER]

Downloads NVIDIA's libcuda.so.1 in nine generations, CUDA 6.5 to 12.5, from packages of the Debian
archive to FOLDER/RELEASE (default: ${XDG_CACHE_HOME:-$HOME/.cache}/cushim/drivers; about 190 MB).
These libraries can be loaded on a machine without a GPU, so tests can use them there. Nothing is
installed, the system's package lists do not change, and existing files are not downloaded again.

The archive is the mirror that this machine uses, or else deb.debian.org;
CUSHIM_DEBIAN_ARCHIVE=URI names another. After an incomplete attempt, the script does not try again
for an hour, or until FOLDER/.tried is deleted.

Exit status: 0 at least one generation exists; 77 none is available, and the reason is printed;
1 a download has the wrong contents.
END
}

# Release, package, its version, file in it, SHA-256 of the file.
libraries() {
    cat <<'END'
340.108 libnvidia-legacy-340xx-cuda1 340.108-27 libcuda.so.340.108 34e0b59d69accbd2c1a9a9f2f57c4c28d556233bcff2ed925b24e86dfd6a1c7f
390.157 libnvidia-legacy-390xx-cuda1 390.157-1~deb11u1 libcuda.so.390.157 5db428242d077fa94ea81b7292501fee8935ded2abae96c9e6ca680b88c4391d
390.157 libnvidia-legacy-390xx-fatbinaryloader 390.157-1~deb11u1 libnvidia-fatbinaryloader.so.390.157 fa96c9a6e6164990199bc154dc4f7463233010bec47ad57ddfb68a1201048fbc
418.226.00 libnvidia-tesla-418-cuda1 418.226.00-6~deb11u2 libcuda.so.418.226.00 5cd863fc4a3dcf9ba8f4a45ff647be99ff9e8c1dbd6a3455078944981d9000b3
418.226.00 libnvidia-tesla-418-fatbinaryloader 418.226.00-6~deb11u2 libnvidia-fatbinaryloader.so.418.226.00 e82635244d43ac8cc7e7496b3987ef8fb35dfc6e532d1c1916a5b4db8785b22d
450.248.02 libnvidia-tesla-450-cuda1 450.248.02-7~deb11u1 libcuda.so.450.248.02 e5a23f7195e6a2d9537dc8ad027a58058f08beb615713628d70a53f99b5e2d64
470.256.02 libnvidia-tesla-470-cuda1 470.256.02-1~deb12u1 libcuda.so.470.256.02 6f379857a042713f8c4c28e689006b9143889c7a465044074d99a614a64e2fa2
525.147.05 libnvidia-tesla-cuda1 525.147.05-15~deb12u1 libcuda.so.525.147.05 bd8c9ddb311e601339992435f075bce9791bb2f72648ff3e435b272335bb1a43
535.261.03 libcuda1 535.261.03-1 libcuda.so.535.261.03 6ed312ee383dc77b0c583813c632d1cc625ee4fb7881ed3e37dcaf3cf7393b25
550.163.01 libcuda1 550.163.01-2 libcuda.so.550.163.01 98b825dd17a2430866fde4ce6211b35b0be5531d29b2ef8f9063cfe067d681ff
555.58.02 libcuda1 555.58.02-4 libcuda.so.555.58.02 86245223685716b4309d780a488b5e29acaa0b46c984df241fd5d34ef9e1f7df
END
}

# Print the rows whose files are missing.
lacking() {
    libraries | while read -r release package version file sum; do
        is_sound "$folder/$release/$file" "$sum" ||
            echo "$release $package $version $file $sum"
    done
}

# Give only complete and undamaged generations a libcuda.so.1, and count them.
settle() {
    lacking | cut -d' ' -f1 >"$work/open"
    generations=0
    for release in $(libraries | cut -d' ' -f1 | uniq); do
        if grep -qxF "$release" "$work/open"; then
            rm -f "$folder/$release/libcuda.so.1"
        else
            ln -sf "libcuda.so.$release" "$folder/$release/libcuda.so.1"
            generations=$((generations + 1))
        fi
    done
}

# Download one library to its place, or print why that fails.
fetch() {
    local release=$1 package=$2 version=$3 file=$4 sum=$5 found
    mkdir -p "$folder/$release"
    download "$package" "$version" || return 0
    dpkg-deb -x "$work/package/"*.deb "$work/package/tree"
    found=$(find "$work/package/tree" -type f -name "$file")
    if [ -z "$found" ] || ! is_sound "$found" "$sum"; then
        echo "$release: $file of $package $version is not the one whose sum is known here" >&2
        exit 1
    fi
    mv "$found" "$folder/$release/$file"
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

folder=${1:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/cushim/drivers}
make_place "$folder"
exec 9>"$folder/.lock"
if command -v flock >/dev/null; then flock 9; fi

lacking >"$work/lacking"
if [ -s "$work/lacking" ] && [ -z "$(find "$folder/.tried" -mmin -60 2>/dev/null)" ]; then
    if open_archive; then
        while read -r release package version file sum; do
            fetch "$release" "$package" "$version" "$file" "$sum"
        done <"$work/lacking"
    fi
    touch "$folder/.tried"
fi

settle
echo "$generations of $(libraries | cut -d' ' -f1 | uniq | wc -l) driver generations in $folder"
[ "$generations" -gt 0 ] || skip 'the Debian archive cannot be reached, or has none of them any more'
