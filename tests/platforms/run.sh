#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build cushim for another platform and run its tests there.
#
#     run.sh PLATFORM [SUITE...] [-- TEST...]
#
# PLATFORM is a cross file of this folder without its .ini. The build folder is build-PLATFORM; it
# is set up if it does not exist, and the targets that the tests need are built. Without a SUITE,
# all suites run that need neither a GPU nor this machine's own platform; with TESTs, only these
# tests of the suites run. SETUP has arguments for `meson setup`: SETUP='-Dmock=disabled' run.sh
# musl
#
# Nothing is installed: docs/platforms.md names the packages. fetch_cmocka.sh gets cmocka's source
# if subprojects/ lacks it.
#
# Exit status: that of the tests. 77: a compiler or an emulator is missing, with the reason.
set -euo pipefail

folder=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$folder/../.." && pwd)
suites=(unit fake-drivers probe static modules layer mock tool conformance examples cuda-header headers binary)

usage() {
    sed -n '3,/^# Exit/s/^# \{0,1\}//p' "$0"
    echo
    echo "platforms: $(cd "$folder" && printf "%s\n" *.ini | sed 's/\.ini$//' | tr '\n' ' ')"
    echo "suites:    ${suites[*]}"
}

skip() {
    echo "platforms: skipped: $*" >&2
    exit 77
}

case ${1-} in
--help) usage && exit 0 ;;
'' | -*) usage >&2 && exit 2 ;;
esac
given=("$@")
platform=$1
shift
if [[ $# -gt 0 && $1 != -- ]]; then
    suites=()
    while [[ $# -gt 0 && $1 != -- ]]; do
        suites+=("$1")
        shift
    done
fi
[[ $# -eq 0 ]] || shift
ini=$folder/$platform.ini
[[ -f $ini ]] || { usage >&2 && exit 2; }
build=$project/build-$platform

# value KEY: the first word of the value in the cross file.
value() { sed -n "s/^$1 = \[\{0,1\}'\([^']*\)'.*/\1/p" "$ini"; }

# The kernel must start the platform's programs like its own, because tests start programs, which
# start themselves again. An emulator that is registered with the kernel (binfmt_misc) makes that
# work. If there is none, the script registers one for its own processes only, in a user namespace
# (Linux 6.7 and later).
emulate() {
    local emulator=$1 entry rule namespace
    # The folder in which the emulator finds the platform's C library.
    export QEMU_LD_PREFIX=/usr/$platform-linux-gnu
    for entry in /proc/sys/fs/binfmt_misc/*; do
        [[ ${entry##*/} != "$emulator" ]] || return 0
    done
    [[ -z ${CUSHIM_PLATFORM_EMULATED-} ]] || skip "the kernel did not take $emulator"
    rule=/usr/lib/binfmt.d/$emulator.conf
    [[ -r $rule ]] || skip "there is no $rule to register $emulator with the kernel"
    # The rule for the emulator, with F: the kernel opens the emulator now, so its path need not
    # exist later.
    rule=$(sed 's/:\([A-Z]*\)$/:\1F/' "$rule")
    # shellcheck disable=SC2016
    namespace='mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
        printf %s "$1" >/proc/sys/fs/binfmt_misc/register && shift && exec "$@"'
    unshare --user --map-root-user --mount sh -c "$namespace" sh "$rule" true 2>/dev/null ||
        skip "the kernel does not know $emulator, and this user cannot register it (docs/platforms.md)"
    CUSHIM_PLATFORM_EMULATED=1 exec unshare --user --map-root-user --mount \
        sh -c "$namespace" sh "$rule" unshare --user --map-user="$(id -u)" \
        --map-group="$(id -g)" "$0" "${given[@]}"
}

for tool in meson ninja "$(value c)"; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
emulator=$(value exe_wrapper)
if [[ $platform == windows-* ]]; then
    command -v wine >/dev/null || skip "wine is not installed"
elif [[ -n $emulator ]]; then
    command -v "$emulator" >/dev/null || skip "$emulator is not installed"
fi
# If Debian's archive does not have it, Meson tries the wrap.
"$folder/fetch_cmocka.sh" || [[ $? -eq 77 ]]
[[ $emulator != qemu-* ]] || emulate "$emulator"

if [[ ! -f $build/build.ninja ]]; then
    # shellcheck disable=SC2086
    meson setup "$build" "$project" --cross-file "$ini" ${SETUP-}
fi
chosen=()
for suite in "${suites[@]}"; do
    chosen+=(--suite "$suite")
done
# An emulator is slow.
exec meson test -C "$build" --timeout-multiplier 4 --print-errorlogs "${chosen[@]}" "$@"
