# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# To be sourced: cmocka's source from Debian, for who must build it without the internet.

# cmocka_source DIR: download Debian's tarball of the newest cmocka 1.1 to DIR, without changing the
# system's package lists, and print its path. Returns 77 if it is not available, with a reason on
# standard error.
cmocka_source() {
    local key=/usr/share/keyrings/debian-archive-keyring.gpg version apt=() lists=$1/apt log=$1/log
    command -v apt-get >/dev/null || {
        echo "cmocka: its source comes from Debian by apt-get" >&2
        return 77
    }
    [[ -r $key ]] || {
        echo "cmocka: its source comes from Debian, and $key is not here" >&2
        return 77
    }
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
    printf '%s\n' 'Types: deb-src' 'URIs: http://deb.debian.org/debian' 'Suites: trixie bookworm' \
        'Components: main' "Signed-By: $key" >"$lists/cmocka.sources"
    apt=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$lists"
        -o "Dir::State::Lists=$lists/lists" -o "Dir::Cache=$lists/cache"
        -o APT::Sandbox::User=root -o Acquire::Retries=1 -o Acquire::http::Timeout=20)

    apt-get "${apt[@]}" -o APT::Update::Error-Mode=any update >"$log" 2>&1 || {
        echo "cmocka: Debian's archive cannot be reached: $(grep -m1 '^[EW]:' "$log")" >&2
        return 77
    }
    while read -r version; do
        (cd "$1" && apt-get "${apt[@]}" --download-only --tar-only source "cmocka=$version") \
            >"$log" 2>&1 || true
        compgen -G "$1/cmocka_*.orig.tar.*z" && return
    done < <(apt-cache "${apt[@]}" showsrc cmocka | sed -n 's/^Version: \(1\.1\.\)/\1/p' | sort -rV)
    echo "cmocka: Debian's archive has no source of 1.1 to give: $(grep -m1 '^E:' "$log")" >&2
    return 77
}
