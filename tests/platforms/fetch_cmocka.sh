#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Get cmocka's source for a cross build on a machine that can reach only Debian's archive.
#
#     fetch_cmocka.sh
#
# A cross build cannot use the machine's own cmocka, so it uses subprojects/cmocka.wrap, whose
# archive comes from cmocka.org. This script unpacks Debian's source of the nearest 1.1 release
# where Meson looks for an unpacked wrap, with the build file that the wrap adds. Meson then
# downloads no archive, and the wrap's hash does not change. Git ignores the folder; delete it to
# use the wrap again.
#
# Exit 0: the source is there, or was there before. 77: it is not available, with the reason.
set -euo pipefail

case ${1-} in
'') ;;
*)
    sed -n '3,/^# Exit/s/^# \{0,1\}//p' "$0"
    [[ $1 == --help ]] && exit 0 || exit 2
    ;;
esac

project=$(cd "$(dirname "$0")/../.." && pwd)
. "$project/tests/wraps/cmocka_source.sh"

# field KEY: a value of the wrap.
field() { sed -n "s/^$1 = //p" "$project/subprojects/cmocka.wrap"; }

target=$project/subprojects/$(field directory)
if [[ -f $target/meson.build ]]; then
    echo "cmocka: $target is there"
    exit 0
fi

# In the same folder, so that the last step is one atomic rename; git ignores the name.
work=$(mktemp -d "$project/subprojects/cmocka-fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT

tarball=$(cmocka_source "$work")
mkdir "$work/source"
tar -C "$work/source" --strip-components=1 -xf "$tarball"
cp -R "$project/subprojects/packagefiles/$(field patch_directory)/." "$work/source/"
rm -rf "$target"
mv -T "$work/source" "$target"
echo "cmocka: ${tarball##*/} is in $target"
