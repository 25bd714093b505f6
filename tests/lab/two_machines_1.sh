#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Real RoCE v2 between two machines, this one serves:
#   tests/lab/run --machines 2 tests/lab/two_machines_1.sh tests/lab/two_machines_2.sh
# shellcheck disable=SC2119
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

lab_nic
dcb app replace dev tn0 dscp-prio 26:3
gid=$(lab_gid_index rxe0)
lab_barrier up
ib_send_lat -c UD -d rxe0 -x "$gid" -n 200 > "$LAB_OUT/ud.server" 2>&1 &
ud=$!
lab_check "ib_send_lat listens" lab_poll 30 bash -c "ss -ltn | grep -q :18515"
lab_barrier ud
rc=0
wait "$ud" || rc=$?
lab_check_equal "UD server ends well" 0 "$rc"
rping -s -a 10.0.0.1 -C 20 -v > "$LAB_OUT/rping.server" 2>&1 &
rp=$!
lab_check "rping listens" lab_poll 30 bash -c "rdma resource show cm_id | grep -q LISTEN"
lab_barrier rping
rc=0
wait "$rp" || rc=$?
lab_check_equal "rping server ends well" 0 "$rc"
lab_barrier end
lab_check_between "RoCE frames counted" 200 1000000 "$(lab_stat rx_vport_rdma_unicast_packets)"
lab_check_between "DSCP 26 counted as priority 3" 10 1000000 "$(lab_stat rx_prio3_packets)"
lab_done
