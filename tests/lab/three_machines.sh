#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Three machines on one wire:
#   tests/lab/run --machines 3 tests/lab/three_machines.sh tests/lab/follow.sh tests/lab/follow.sh
# shellcheck disable=SC2119
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

lab_nic
lab_on 2 'lab_nic'
lab_on 3 'lab_nic'
for there in 2 3; do lab_check "1 reaches $there" ping -c 2 -i 0.2 -W 10 -M "do" -s 4100 "10.0.0.$there"; done
lab_check "2 reaches 3" lab_on 2 'ping -c 2 -i 0.2 -W 10 -M do -s 4100 10.0.0.3'

before=$(lab_stat rx_packets_phy)
lab_check "frames between 2 and 3" lab_on 2 'ping -c 50 -i 0.01 -W 10 10.0.0.3'
lab_check_between "are not this port's" 0 20 $(($(lab_stat rx_packets_phy) - before))

lab_path "udp=0 src=10.0.0.3 drop"
lab_check "a rule for one sender leaves the other" lab_on 2 'ping -c 1 -W 10 10.0.0.1'
lab_check_fails "and drops its own" lab_on 3 'ping -c 1 -W 2 10.0.0.1'
lab_path clear
lab_check "until it is cleared" lab_on 3 'ping -c 1 -W 10 10.0.0.1'

gid=$(lab_gid_index rxe0)
for client in 2 3; do
    ib_send_lat -c UD -d rxe0 -x "$gid" -n 100 > /tmp/server 2>&1 &
    server=$!
    lab_check "ib_send_lat listens" lab_poll 30 bash -c "ss -ltn | grep -q :18515"
    lab_check "UD between $client and 1" lab_on "$client" "timeout 60 ib_send_lat -c UD -d rxe0 -x $(lab_on "$client" 'lab_gid_index rxe0') -n 100 10.0.0.1"
    rc=0
    wait "$server" || rc=$?
    lab_check_equal "its server ends well" 0 "$rc"
done
lab_done
