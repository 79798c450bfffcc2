#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build the Debian packages, and use them, in fresh installations of Debian.
#
#     debian.sh FOLDER [SUITE...]          suites: bookworm (default) and trixie (default)
#
# In FOLDER/SUITE, which is kept for the next run: debootstrap; dpkg-buildpackage from HEAD; lintian;
# README's program and the command on the mock with the installed packages; and a comparison of all
# files before the packages are installed and after they are purged. Needs root, debootstrap and a
# Debian mirror, which is that of /etc/apt.
#
# nvidia-cuda-dev has 0.8 GB, of which only headers are used. A package with that name and the
# headers of this machine stands in for it.
set -eEuo pipefail
trap 'echo "line $LINENO has failed: $BASH_COMMAND" >&2' ERR
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd) && shift
[ $# -gt 0 ] || set -- bookworm trixie
include=$(python3 "$source/loader/find_cuda_include.py")
[ -n "$include" ] || { echo "there are no headers of CUDA" >&2 && exit 1; }
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
unset DEB_BUILD_OPTIONS DEB_BUILD_PROFILES

say() { printf '\n-- %s: %s (after %d s)\n' "$suite" "$*" "$SECONDS"; }

# Run a command in the installation, with /proc, by which the command cushim finds its own files.
inside() {
    unshare --mount bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i "$@"' \
        "$root" PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}

# Print the files of the installation, but for what package managers and caches keep about them.
list_files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp \
        -o -path ./work -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache \
        -o -path ./var/log \) -prune -o -print | grep -v '\.dpkg-\|ld.so.cache~' | sort)
}

# Make a package of headers in place of nvidia-cuda-dev, in the folder work of the installation.
stand_in() {
    local package=$root/work/stand-in
    mkdir -p "$package/DEBIAN" "$package/usr/include"
    cp -L "$include"/cuda*.h "$package/usr/include"
    printf '%s\n' 'Package: nvidia-cuda-dev' 'Version: 99' 'Architecture: all' \
        'Maintainer: none <none@example.org>' 'Description: headers' >"$package/DEBIAN/control"
    inside dpkg-deb -b /work/stand-in /work/stand-in.deb >/dev/null
}

# apt installs what is needed: debootstrap does not follow dependencies on virtual packages, of which
# lintian has one.
install_base() {
    local names='build-essential ca-certificates debhelper fakeroot lintian libzstd-dev meson'
    names+=' pkg-config python3'
    [ -f "$root/installed" ] && return
    rm -rf "$root" && mkdir -p "$folder"
    debootstrap --variant=minbase "$suite" "$root" >"$root.log"
    cp /etc/resolv.conf "$root/etc"
    inside apt-get update >>"$root.log"
    inside env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $names \
        >>"$root.log" 2>&1 || { tail -20 "$root.log" && exit 1; }
    touch "$root/installed"
}

build() {
    rm -rf "$root/work" && mkdir -p "$root/work/cushim"
    git -C "$source" archive HEAD | tar -x -C "$root/work/cushim"
    stand_in
    inside dpkg -i /work/stand-in.deb >/dev/null
    inside env DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=${JOBS-2}" DEB_BUILD_PROFILES=nocheck sh -euc \
        'cd /work/cushim && dpkg-buildpackage -us -uc -b' >"$root.build.log" 2>&1 ||
        { tail -40 "$root.build.log" && exit 1; }
}

use() {
    local printed
    inside sh -euc 'cd /work && dpkg -i lib*.deb cushim-tools*.deb >/dev/null'
    sed -n '/^```c$/,/^```$/p' "$source/docs/getting-started.md" | sed '/^```/d;/^}$/q' \
        >"$root/work/program.c"
    inside sh -euc 'cd /work && cc program.c $(pkg-config --cflags --libs cushim) -o program'
    printed=$(inside /work/program)
    [ "$printed" = 'on the CPU' ] || { echo "the program prints $printed" && exit 1; }
    printed=$(inside cushim run --quiet --devices 3 -- /work/program)
    [ "$printed" = '3 devices' ] || { echo "on the mock it prints $printed" && exit 1; }
    cp "$source/examples/testing/first_test.c" "$root/work"
    inside sh -euc 'cd /work && cc first_test.c $(pkg-config --cflags --libs cushim-mock) -o test &&
        ./test && cc -DWITH_BUG first_test.c $(pkg-config --cflags --libs cushim-mock) -o bug &&
        ! ./bug >found && grep "CUSHIM-leak-event: event#1 is never destroyed" found'
}

# Also of packages that an earlier run has left because it failed.
purge() {
    inside dpkg --purge cushim-tools libcushim-dev libcushim-mock0 libcushim0 >/dev/null 2>&1
}

for suite; do
    root=$folder/$suite
    say "a fresh Debian"
    install_base
    say "building"
    build
    say "lintian"
    inside sh -euc 'cd /work && lintian --allow-root --fail-on error,warning *.changes'
    say "installing, using and purging"
    purge
    list_files >"$root.before"
    use
    purge
    list_files >"$root.after"
    diff "$root.before" "$root.after"
    say "good: $(cd "$root/work" && echo *_amd64.deb *_arm64.deb | tr ' ' '\n' | grep -c '^[lc].*_')\
 packages"
done
