#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prove without the internet that the wraps in subprojects/ can be configured and built, and that
# the result runs.
#
#     prove.sh [cuda-headers|cmocka]...        both, if none is named
#
# Each proof makes an archive with the name and layout that the wrap expects, puts it into a package
# cache, and builds a small Meson project that uses only the wrap. The bytes differ from the real
# download, so the proof uses a copy of the wrap with the hash of its own archive; the real hash is
# not checked. The archives come from
#
#     cuda-headers   the installed toolkit (CUDA_HOME, CUDA_PATH or /usr/local/cuda)
#     cmocka         Debian's source package of the 1.1 release nearest to 1.1.8
#
# Exit 0: proven. 1: a wrap is broken. 77: an archive is not available, and nothing else failed.
set -euo pipefail

project=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$project/tests/wraps/cmocka_source.sh"

say() { echo "wraps: $*"; }

fail() {
    say "FAILED: $*" >&2
    exit 1
}

# End the current proof, which is a subshell.
skip() {
    say "skipped: $*"
    exit 77
}

# field WRAP KEY
field() { sed -n "s/^$2 = //p" "$project/subprojects/$1.wrap"; }

# Run a Meson command without network access.
offline() {
    env -u MESON_PACKAGE_CACHE_DIR http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 \
        "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "$*"
    }
}

# prepare WRAP SOURCE: pack SOURCE, whose folder has the name in the wrap, and make a project.
prepare() {
    local wrap=$1 source=$2 file hash
    file=$(field "$wrap" source_filename)
    [[ $(field "$wrap" source_url) == https://*/"$file" ]] || fail "$wrap: URL and file disagree"
    [[ $(field "$wrap" source_hash) =~ ^[0-9a-f]{64}$ ]] || fail "$wrap: no sha256"

    mkdir -p "$work/$wrap/subprojects/packagecache" "$work/$wrap/subprojects/packagefiles"
    cp -R "$project/subprojects/packagefiles/$(field "$wrap" patch_directory)" \
        "$work/$wrap/subprojects/packagefiles/"
    tar -C "$source" -cJf "$work/$wrap/subprojects/packagecache/$file" \
        "$(field "$wrap" directory)"
    hash=$(sha256sum "$work/$wrap/subprojects/packagecache/$file" | cut -d' ' -f1)
    sed "s/^source_hash = .*/source_hash = $hash/" "$project/subprojects/$wrap.wrap" \
        >"$work/$wrap/subprojects/$wrap.wrap"
    say "$wrap: a copy of the wrap with the hash of an archive made here, $hash"
    cd "$work/$wrap"
}

prove_cuda_headers() {
    local include source version
    include=$(python3 "$project/loader/find_cuda_include.py")
    [[ -n $include ]] || skip "cuda-headers: no CUDA toolkit is installed to take headers from"

    # The driver API's headers of NVIDIA's archive. cudaProfiler.h is in another archive.
    source=$work/cuda-source
    mkdir -p "$source/$(field cuda-headers directory)/include"
    cp -L "$include"/cuda{,GL,EGL,VDPAU}.h "$include"/cuda*Typedefs.h \
        "$source/$(field cuda-headers directory)/include/"
    prepare cuda-headers "$source"

    cat >meson.build <<'END'
project('proof', 'c', default_options: ['c_std=c11', 'warning_level=3', 'werror=true'])
headers = dependency('cuda-headers')
assert(headers.type_name() == 'internal')
assert(import('fs').exists(headers.get_variable('includedir') / 'cuda.h'))
executable('proof', 'proof.c', dependencies: headers)
END
    cat >proof.c <<'END'
#include <stdio.h>
#include <cuda.h>
#include <cudaTypedefs.h>

int main(void)
{
    printf("%d\n", CUDA_VERSION);
    return 0;
}
END
    offline meson setup --wrap-mode=forcefallback build
    offline ninja -C build
    version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$include/cuda.h")
    [[ $(build/proof) == "$version" ]] || fail "cuda-headers: the program does not print $version"
    say "cuda-headers: built and run, CUDA_VERSION $version"
}

prove_cmocka() {
    local source=$work/cmocka-source tarball
    mkdir -p "$source"
    tarball=$(cmocka_source "$source") || skip "cmocka: no source"
    mkdir "$source/$(field cmocka directory)"
    tar -C "$source/$(field cmocka directory)" --strip-components=1 -xf "$tarball"
    say "cmocka: ${tarball##*/} stands in for $(field cmocka source_filename)"
    # Whatever builds it upstream, the build file must be the one that the wrap adds.
    rm -f "$source/$(field cmocka directory)/meson.build"
    prepare cmocka "$source"

    cat >meson.build <<'END'
project('proof', 'c', default_options: ['c_std=c11', 'warning_level=3', 'werror=true'])
cmocka = dependency('cmocka')
assert(cmocka.type_name() == 'internal')
assert(cmocka.version() == '1.1.8')
executable('proof', 'proof.c', dependencies: cmocka)
END
    cat >proof.c <<'END'
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int sum = 4;

static void two_and_two_are_four(void **state)
{
    (void)state;
    assert_int_equal(sum, 2 + 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_and_two_are_four)};

    (void)argv;
    sum += argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
END
    offline meson setup --wrap-mode=forcefallback build
    offline ninja -C build
    build/proof >"$work/log" 2>&1 || fail "cmocka: a test that holds does not pass"
    grep -q 'OK \] two_and_two_are_four' "$work/log" || fail "cmocka: the test did not run"
    ! build/proof five >"$work/log" 2>&1 || fail "cmocka: a test that does not hold passes"
    grep -q 'FAILED.*two_and_two_are_four' "$work/log" || fail "cmocka: the failure has no name"
    say "cmocka: built and run, a test that holds passes and one that does not fails"
}

for tool in meson ninja python3 xz; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
[[ $# -gt 0 ]] || set -- cuda-headers cmocka

result=0
for wrap in "$@"; do
    # Not in an || list, which would disable `set -e` inside.
    set +e
    case $wrap in
    cuda-headers) (set -e; prove_cuda_headers) ;;
    cmocka) (set -e; prove_cmocka) ;;
    *) (fail "usage: prove.sh [cuda-headers|cmocka]...") ;;
    esac
    code=$?
    set -e
    case $code in
    0) ;;
    77) [[ $result -ne 0 ]] || result=77 ;;
    *) result=1 ;;
    esac
done
exit $result
