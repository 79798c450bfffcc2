#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run a test under valgrind's memcheck: meson test --setup valgrind
#
#     memcheck.sh PROGRAM [ARGUMENT...]
#
# Memcheck examines the program and the programs that it starts. A script runs without memcheck, and
# so do the programs that it starts, because memcheck would examine the interpreter. With a report,
# the exit status is 99. MEMCHECK_REPORTS is the folder for reports; without it, they go to standard
# error.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1##*/} in
python* | bash | sh) exec "$@" ;;
esac
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed" && exit 77; }
log=()
[[ -z ${MEMCHECK_REPORTS-} ]] || log=("--log-file=$MEMCHECK_REPORTS/%p")
# The fair scheduler: otherwise threads that poll would starve the thread that they wait for.
exec valgrind --quiet --error-exitcode=99 --trace-children=yes --fair-sched=try \
    --trace-children-skip='*/python*,*/sh,*/bash,*/env' --leak-check=full \
    --errors-for-leak-kinds=definite --show-leak-kinds=definite --num-callers=20 \
    --suppressions="$here/memcheck.supp" "${log[@]}" "$@"
