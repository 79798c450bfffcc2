#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run a test under valgrind's memcheck: meson test --setup valgrind
#
#     memcheck.sh PROGRAM [ARGUMENT...]
#
# Programs are looked at, and those that they start. A script is run unmodified, and so is what it
# starts: it would be its interpreter that is looked at. A report makes the exit status 99.
# MEMCHECK_REPORTS is a folder for them; without it they go to standard error.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1##*/} in
python* | bash | sh) exec "$@" ;;
esac
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed" && exit 77; }
log=()
[[ -z ${MEMCHECK_REPORTS-} ]] || log=("--log-file=$MEMCHECK_REPORTS/%p")
# Threads take turns in the order in which they come: those that wait for others would starve them.
exec valgrind --quiet --error-exitcode=99 --trace-children=yes --fair-sched=try \
    --trace-children-skip='*/python*,*/sh,*/bash,*/env' --leak-check=full \
    --errors-for-leak-kinds=definite --show-leak-kinds=definite --num-callers=20 \
    --suppressions="$here/memcheck.supp" "${log[@]}" "$@"
