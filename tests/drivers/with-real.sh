#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a test with the folder of NVIDIA's own drivers as its first argument; they are fetched before.
# usage: with-real.sh TEST [ARGUMENT ...]
# Exit status: the test's, or 77 where the drivers cannot be had. CUSHIM_DRIVERS names the folder.
set -eu
here=$(dirname "$0")
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
folder=${CUSHIM_DRIVERS:-${cache:+$cache/cushim/drivers}}
if [ -z "$folder" ]; then
    echo 'no drivers: neither CUSHIM_DRIVERS nor HOME says where to keep them'
    exit 77
fi
test=$1
shift
sh "$here/fetch.sh" "$folder"
exec "$test" "$(cd "$folder" && pwd)" "$@"
