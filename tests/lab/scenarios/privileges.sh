#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the packaged unit sees without a capability, and with those of its drop-in.  privileges.sh PROGRAM SYSTEMD_DIR
# The capabilities are taken from the unit files; the machine runs no systemd.
set -euo pipefail
. "$(dirname "$0")/report.sh"
units=$2

# caps FILE: its ambient capabilities as setpriv names them: +sys_admin,+net_raw
caps() { sed -n 's/^AmbientCapabilities=//p' "$1" | tr ' A-Z' '\na-z' | sed -n 's/^cap_/+/p' | paste -sd, ; }
# as_unit CAPS COMMAND…: as nobody, with these capabilities and no other.
as_unit() {
    local caps=$1
    shift
    setpriv --reuid nobody --regid nogroup --clear-groups --no-new-privs --inh-caps "-all${caps:+,$caps}" \
        --ambient-caps "-all${caps:+,$caps}" --bounding-set "-all${caps:+,$caps}" -- "$@"
}

lossless_nic
lab_check_equal "the default unit has no capability" "" "$(caps "$units/roceready.service")"
rc=0
as_unit "" "$roceready" diagnose --profile nvidia-lossless --format json > "$report" 2> /tmp/report.err || rc=$?
lab_check_equal "exit code" 0 "$rc"
keep unprivileged
expect "ready without a capability" ready 'r["verdict"]'
expect "what it could not see is named" true '"CAP_SYS_ADMIN" in json.dumps(r)'
lab_check_shows "the drop-in has some" '\+sys_admin' caps "$units/privileged.conf"
rc=0
as_unit "$(caps "$units/privileged.conf")" "$roceready" diagnose --profile nvidia-lossless --format json > "$report" 2> /tmp/report.err || rc=$?
lab_check_equal "exit code" 0 "$rc"
keep privileged
expect "ready with them" ready 'r["verdict"]'
expect "and it sees the PCI configuration space" false '"needs CAP_SYS_ADMIN" in json.dumps(r)'
lab_done
