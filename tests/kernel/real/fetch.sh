#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Download the compilers of CUDA 11.8 that generate.py needs; see the usage text below.
set -euo pipefail
# shellcheck disable=SC2034 # debian.sh reads it
what=compilers
# shellcheck source=tests/support/debian.sh
source "$(dirname "$0")/../../support/debian.sh"

usage() {
    cat <<'END_OF_USAGE'
usage: fetch.sh FOLDER

Downloads nvcc, libnvrtc, libnvvm and CUDA's headers from packages of Debian 12, and unpacks them in
FOLDER, for generate.py --toolkit FOLDER (880 MB of downloads, 300 MB on disk). Nothing is
installed, and the system's package lists do not change.

The archive is the mirror that this machine uses, or else deb.debian.org;
CUSHIM_DEBIAN_ARCHIVE=URI names another.

Exit status: 0, or 77 if a package is not available; the reason is printed.
END_OF_USAGE
}

case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
esac
[ $# -eq 1 ] || {
    usage >&2
    exit 1
}

make_place "$1"
open_archive || skip 'the Debian archive cannot be reached'
for package in nvidia-cuda-toolkit nvidia-cuda-dev libnvvm4 libnvrtc11.2 libnvrtc-builtins11.8; do
    download "$package" 11.8.89~11.8.0-5~deb12u1 || skip "$package is not available"
    dpkg-deb --fsys-tarfile "$work/package/"*.deb |
        tar -x -C "$folder" --exclude='*.a' --exclude='./usr/lib/x86_64-linux-gnu/lib[!n]*' \
            --exclude='./usr/lib/x86_64-linux-gnu/libnp*' --exclude='*/compute-sanitizer/*'
done

# Debian's files under /etc refer to paths under /usr, where these files are not installed.
bin=$folder/usr/lib/nvidia-cuda-toolkit/bin
rm -f "$bin/nvcc.profile" "$bin/gcc" "$bin/g++"
sed "s#/usr/lib#$folder/usr/lib#g" "$folder/etc/nvcc.profile" >"$bin/nvcc.profile"
# The folder where numba looks for them.
mkdir -p "$folder/home/nvvm/lib64"
ln -sf "$folder/usr/lib/x86_64-linux-gnu/libnvvm.so.4" "$folder/home/nvvm/lib64/libnvvm.so.4"
ln -sfn "$folder/usr/lib/nvidia-cuda-toolkit/libdevice" "$folder/home/nvvm/libdevice"
echo "the compilers are in $folder"
