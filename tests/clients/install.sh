#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install the programs that the suite `clients` runs; see the usage text below.
set -eu

usage() {
    cat <<'END'
usage: install.sh [--print]

Installs the clients' packages from Debian 12's main archive, without recommended packages: up to
610 MB of downloads and 2.9 GB on disk. Needs root.
--print prints the packages and installs nothing.
END
}

packages=$(python3 "$(dirname "$0")/clients.py" --packages)
case ${1-} in
'') ;;
--print)
    echo "$packages"
    exit
    ;;
*)
    usage
    exit 64
    ;;
esac

# In Debian, a file of this name forbids the start of services.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
# shellcheck disable=SC2086 # a word is a package
apt-get install -y --no-install-recommends $packages
