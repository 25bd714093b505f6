#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The other side of two_machines_1.sh.
# shellcheck disable=SC2119
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

lab_nic
gid=$(lab_gid_index rxe0)
lab_barrier up
lab_check "ping over the test NIC" ping -c 3 -i 0.2 -W 5 -M "do" -s 4100 10.0.0.1
lab_check "ping with DSCP 26" ping -c 20 -i 0.01 -W 5 -Q 104 10.0.0.1
lab_barrier ud
lab_check_shows "UD latency" '^ *[0-9]+ +200 +[0-9.]+' timeout 60 ib_send_lat -c UD -d rxe0 -x "$gid" -n 200 10.0.0.1
lab_barrier rping
lab_check_shows "RC, rdma_cm: rping" 'ping data: rdma-ping-19' timeout 60 rping -c -a 10.0.0.1 -C 20 -v
rdma statistic show link rxe0
lab_check_between "frames sent" 200 1000000 "$(lab_stat tx_vport_rdma_unicast_packets)"
lab_barrier end
lab_done
