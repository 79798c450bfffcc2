#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a test with the folder of NVIDIA's own drivers as its first argument.
# usage: with-real.sh TEST [ARGUMENT ...]
# Exit status: the test's, or 77 if fetch.sh has not downloaded the drivers. This script downloads
# nothing, because a test run should not fetch 190 MB unasked. CUSHIM_DRIVERS names another folder.
set -eu
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
folder=${CUSHIM_DRIVERS:-${cache:+$cache/cushim/drivers}}
if [ -z "$folder" ]; then
    echo 'no drivers: neither CUSHIM_DRIVERS nor HOME says where they are kept'
    exit 77
fi
for library in "$folder"/*/libcuda.so.1; do
    [ -f "$library" ] || {
        echo "no drivers in $folder: run tests/drivers/fetch.sh first"
        exit 77
    }
done
test=$1
shift
exec "$test" "$(cd "$folder" && pwd)" "$@"
