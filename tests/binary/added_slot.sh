#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library stays compatible with itself when a slot is added, but not when one is removed,
# according to abidiff (abigail-tools).
#
#     tests/binary/added_slot.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for which in before after; do
    mkdir "$folder/$which"
    git ls-files -z | tar -c --null -T - | tar -x -C "$folder/$which"
done
python3 - "$folder/after/loader/registry/functions.tsv" <<'PY'
import sys
rows = open(sys.argv[1], encoding='ascii').readlines()
rows.append('\t'.join(['cuNewerThanThisLibrary', *rows[-1].split('\t')[1:]]))
open(sys.argv[1], 'w', encoding='ascii').writelines(rows)
PY
for which in before after; do
    meson setup "$folder/$which/build" "$folder/$which" -Ddefault_library=shared -Ddebug=true \
        -Dmock=disabled -Dtests=disabled -Dtool=disabled >/dev/null
    meson compile -C "$folder/$which/build" cushim >/dev/null
done

# abidiff's status: the bits 1 and 2 are errors, 4 a change, and 8 an incompatible change.
compare() {
    local status=0
    abidiff --headers-dir1 "$folder/$1/include" --headers-dir2 "$folder/$2/include" \
        "$folder/$1/build/libcushim.so.0" "$folder/$2/build/libcushim.so.0" || status=$?
    echo "from $1 to $2: abidiff's status is $status"
    return "$status"
}
status=0 && compare before after || status=$?
[[ $status -eq 4 ]]
status=0 && compare after before || status=$?
[[ $status -eq 12 ]]
