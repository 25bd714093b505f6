#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lab proves itself: every face and knob of the test NIC, with the stock tools. One machine:
#   tests/lab/run tests/lab/selftest.sh
# shellcheck disable=SC2119,SC2317
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

tn=/sys/kernel/debug/rr_testnic/tn0

stat_missing() { ! lab_stat "$1" > /dev/null; }
operstate_is() { [ "$(cat /sys/class/net/tn0/operstate)" = "$1" ]; }
unknown_stat() { lab_knob set "no_such_counter 1"; }
json_app() { dcb -j app show dev tn0 dscp-prio; }

echo "== set up"
lab_nic
lab_check_equal "rxe0 is on tn0" tn0 "$(cat /sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1)"
lab_check_shows "IPv4 GID is RoCE v2" 'RoCE v2' cat /sys/class/infiniband/rxe0/ports/1/gid_attrs/types/1
lab_check_shows "ibv_devinfo sees an active port" 'PORT_ACTIVE' ibv_devinfo -d rxe0
lab_check_equal "host name" lab1 "$(hostname)"
lab_check_equal "ordinary user" nobody "$(lab_as nobody id -un)"
# dcb of iproute2 6.1 says success when the kernel refuses: look at the effect.
lab_as nobody dcb pfc set dev tn0 prio-pfc 3:on || true
lab_check_shows "ordinary user may not configure" '3:off' dcb pfc show dev tn0 prio-pfc
lab_check "ordinary user may read" lab_as nobody ethtool -S tn0

echo "== PCIe"
pci=/sys/class/net/tn0/device
lab_check_shows "tn0 is on a PCI function" 'parentbus pci parentdev 0000:' ip -d link show tn0
port=$(dirname "$(readlink -f "$pci")")
for d in "$pci" "$port"; do
    lab_check_equal "width now of $(basename "$(readlink -f "$d")")" 16 "$(cat "$d/current_link_width")"
    lab_check_equal "width at most" 16 "$(cat "$d/max_link_width")"
    lab_check_equal "speed now" "16.0 GT/s PCIe" "$(cat "$d/current_link_speed")"
    lab_check_equal "speed at most" "16.0 GT/s PCIe" "$(cat "$d/max_link_speed")"
done
lab_knob pci "cur_width 8"
lab_knob pci "cur_speed 3"
lab_check_equal "narrow: width now" 8 "$(cat "$pci/current_link_width")"
lab_check_equal "narrow: width at most" 16 "$(cat "$pci/max_link_width")"
lab_check_equal "narrow: speed now" "8.0 GT/s PCIe" "$(cat "$pci/current_link_speed")"
lab_check_equal "narrow: port's width now" 8 "$(cat "$port/current_link_width")"
lab_check_shows "narrow: lspci says so" 'LnkSta:.*8GT/s.*x8' lspci -vv -s "$(basename "$(readlink -f "$pci")")"
lab_check_fails "width 0 is refused" lab_knob pci "cur_width 0"
lab_check "AER statistics exist" test -e "$pci/aer_dev_correctable"

echo "== DCB"
lab_check_shows "PFC off at first" '3:off' dcb pfc show dev tn0 prio-pfc
lab_check "no pause statistics without PFC" stat_missing rx_prio3_pause
lab_check "PFC set" dcb pfc set dev tn0 prio-pfc all:off 3:on
lab_check_shows "PFC shown" '2:off 3:on 4:off' dcb pfc show dev tn0 prio-pfc
lab_knob set "rx_prio3_pause 71"
lab_knob set "tx_prio3_pause 72"
lab_check_equal "pause statistics come with PFC" 71 "$(lab_stat rx_prio3_pause)"
lab_check "only for that priority" stat_missing rx_prio4_pause
lab_check_shows "indications are pauses received" '3:71 ' dcb -s pfc show dev tn0 indications
lab_check_shows "requests are pauses sent" '3:72 ' dcb -s pfc show dev tn0 requests
lab_check "PFC moved" dcb pfc set dev tn0 prio-pfc all:off 5:on
lab_check "names go with PFC" stat_missing rx_prio3_pause
lab_check_equal "and come" 0 "$(lab_stat rx_prio5_pause_duration)"
lab_check "delay" dcb pfc set dev tn0 delay 40
lab_check_shows "delay shown" 'delay 40' dcb pfc show dev tn0 delay

lab_check_shows "ETS: identity" '0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7' dcb ets show dev tn0 prio-tc
lab_check_shows "ETS: algorithms" '5:ets 6:strict' dcb ets show dev tn0 tc-tsa
lab_check "ETS set" dcb ets set dev tn0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:40 3:60 prio-tc all:0 3:3
lab_check_shows "ETS bandwidth shown" '0:40 1:0 2:0 3:60' dcb ets show dev tn0 tc-bw
lab_check_shows "ETS map shown" '2:0 3:3 4:0' dcb ets show dev tn0 prio-tc
lab_check_fails "ETS that is not 100 % is refused" dcb ets set dev tn0 tc-bw 0:10

lab_check_shows "DSCP trust at first: 26 is priority 3" '26:3|AF31:3' dcb app show dev tn0 dscp-prio
lab_check_equal "64 entries" 64 "$(json_app | grep -o '\[[0-9]*,[0-9]*\]\|\["[^"]*",[0-9]*\]' | wc -l)"
lab_check "APP changed" dcb app replace dev tn0 dscp-prio 26:4
lab_check_shows "APP shown" '26:4|AF31:4' dcb app show dev tn0 dscp-prio
lab_check "APP: UDP port 4791" dcb app add dev tn0 dgram-port-prio 4791:3
lab_check_shows "APP: UDP port shown" '4791:3' dcb app show dev tn0 dgram-port-prio
lab_check "APP flushed" dcb app flush dev tn0
lab_check_hides "PCP trust: no entries" '[0-9]:[0-9]' dcb app show dev tn0
lab_check "one entry" dcb app add dev tn0 dscp-prio 26:3

lab_check "buffer set" dcb buffer set dev tn0 prio-buffer 3:1 buffer-size 0:100000 1:150000
lab_check_shows "buffer sizes shown" '0:100000b 1:150000b' dcb buffer show dev tn0 buffer-size
lab_check_shows "buffer map shown" '2:0 3:1 4:0' dcb buffer show dev tn0 prio-buffer
dcb buffer set dev tn0 buffer-size 1:900000 || true
lab_check_shows "buffer larger than all is refused" '1:150000b' dcb buffer show dev tn0 buffer-size
lab_check "maxrate set" dcb maxrate set dev tn0 tc-maxrate 3:10Gbit
lab_check_shows "maxrate shown" '3:10Gbit' dcb maxrate show dev tn0
lab_check_shows "DCBX: host, IEEE" 'host.*ieee' dcb dcbx show dev tn0
lab_check "DCBX set" dcb dcbx set dev tn0 lld-managed cee
lab_check_shows "DCBX shown" 'lld-managed.*cee' dcb dcbx show dev tn0

echo "== ethtool"
lab_check_shows "driver" '^driver: mlx5_core' ethtool -i tn0
lab_check_shows "firmware" '^firmware-version: 22\.36\.1010' ethtool -i tn0
lab_check_shows "bus" '^bus-info: 0000:' ethtool -i tn0
lab_check_shows "speed" 'Speed: 100000Mb/s' ethtool tn0
lab_check_shows "lanes" 'Lanes: 4' ethtool tn0
lab_check_shows "link mode" '100000baseCR4/Full' ethtool tn0
lab_check "speed set" ethtool -s tn0 speed 25000 autoneg off
lab_check_shows "speed set shown" 'Speed: 25000Mb/s' ethtool tn0
lab_check_shows "lanes follow" 'Lanes: 1' ethtool tn0
lab_check_fails "a speed it cannot do" ethtool -s tn0 speed 1000 autoneg off
lab_check "autonegotiation" ethtool -s tn0 autoneg on advertise 100000baseCR4/Full on
lab_check_shows "back at full speed" 'Speed: 100000Mb/s' ethtool tn0
lab_knob speed 50000
lab_check_shows "speed knob" 'Speed: 50000Mb/s' ethtool tn0
lab_knob speed 100000
lab_check_shows "pause off" 'RX:\s+off' ethtool -a tn0
lab_check "no global pause statistics" stat_missing rx_global_pause
lab_check "pause set" ethtool -A tn0 rx on tx on
lab_check_shows "pause shown" 'RX:\s+on' ethtool -a tn0
lab_check_equal "global pause statistics" 0 "$(lab_stat rx_global_pause)"
lab_knob set "rx_pause_ctrl_phy 812"
lab_check_shows "pause frames" 'rx_pause_frames: 812' ethtool -I -a tn0
lab_check "pause off again" ethtool -A tn0 rx off tx off
lab_check_shows "FEC" 'Active FEC encoding: RS' ethtool --show-fec tn0
lab_knob set "fec_corrected_blocks 99"
lab_knob set "fec_uncorrectable_blocks 4"
lab_check_shows "FEC corrected blocks" 'corrected_blocks: 99' ethtool -I --show-fec tn0
lab_check_shows "FEC uncorrectable blocks" 'uncorrectable_blocks: 4' ethtool -I --show-fec tn0
lab_check "FEC set" ethtool --set-fec tn0 encoding baser
lab_check_shows "FEC set shown" 'Active FEC encoding: BaseR' ethtool --show-fec tn0
lab_check "rings set" ethtool -G tn0 rx 4096
lab_check_shows "rings shown" '^RX:\s+4096' ethtool -g tn0
lab_knob set "rx_symbol_err_phy 6"
lab_check_shows "standard statistics" 'SymbolErrorDuringCarrier: 6' ethtool -S tn0 --groups eth-phy

echo "== counters"
lab_check_equal "more than 250 names" yes "$([ "$(ethtool -S tn0 | wc -l)" -gt 250 ] && echo yes)"
lab_check_hides "no queue names" '(rx|tx|ch)[0-9]+_' ethtool -S tn0
lab_knob set "rx_discards_phy 18446744073709551615"
lab_check_equal "64 bits" 18446744073709551615 "$(lab_stat rx_discards_phy)"
lab_knob set "rx_discards_phy 1000"
t0=$(date +%s%N)
lab_knob rate "rx_discards_phy 100000"
for _ in 1 2 3 4 5; do ethtool -i tn0 > /dev/null; done
lab_knob rate "rx_discards_phy 50000"
t1=$(date +%s%N)
lab_poll 5 test "$(($(date +%s%N) - t1))" -gt 1000000000 || true
lab_knob rate "rx_discards_phy 0"
t2=$(date +%s%N)
want=$((1000 + (t1 - t0) / 10000 + (t2 - t1) / 20000))
got=$(lab_stat rx_discards_phy)
lab_check_between "rate over time, changed once" $((want * 8 / 10)) $((want * 12 / 10)) "$got"
lab_check_equal "rate 0 stops" "$got" "$(lab_stat rx_discards_phy)"
lab_check_shows "list of all" '^fec_corrected_blocks 99$' cat "$tn/counters"
lab_check_fails "unknown counter" unknown_stat
for junk in "" " " "x" "rx_discards_phy" "rx_discards_phy -1" "rx_discards_phy 1 2" "$(printf 'a%.0s' {1..300})" $'\x01\xff'; do
    for f in set rate link ext_state speed refuse gstats_delay_ms bad_names pci; do
        if lab_knob "$f" "$junk" 2>/dev/null; then
            lab_check_equal "junk refused by $f" refused "accepted '$junk'"
        fi
    done
done
# Every knob wants a number somewhere: noise without digits can be no order by chance.
for f in set rate link ext_state speed refuse gstats_delay_ms bad_names pci gone; do
    for n in 1 16 127 128 5000; do
        LC_ALL=C tr -d '0-9' < /dev/urandom | head -c "$n" > "$tn/$f" 2>/dev/null || true
    done
done
lab_check "still there after junk" test -e /sys/class/net/tn0
lab_check_equal "junk changed nothing" "$got" "$(lab_stat rx_discards_phy)"

echo "== link"
down=$(cat /sys/class/net/tn0/carrier_down_count)
phy=$(lab_stat link_down_events_phy)
lab_knob ext_state "4 0"
lab_knob link 0
lab_check "operstate follows" lab_poll 10 operstate_is down
lab_check_shows "link state and why" 'Link detected: no \(No cable\)' ethtool tn0
lab_check_shows "no speed while down" 'Speed: Unknown' ethtool tn0
lab_check "RDMA port follows" lab_poll 10 grep -q DOWN /sys/class/infiniband/rxe0/ports/1/state
lab_knob ext_state "3 1"
lab_check_shows "another reason" 'Bad signal integrity, ' ethtool tn0
lab_knob link 1
lab_check "up again" lab_poll 10 operstate_is up
lab_check "RDMA port is back" lab_poll 10 grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state
lab_check_equal "carrier_down_count" $((down + 1)) "$(cat /sys/class/net/tn0/carrier_down_count)"
lab_check_equal "link_down_events_phy" $((phy + 1)) "$(lab_stat link_down_events_phy)"

echo "== refusals"
lab_knob refuse "gstats 22"
lab_check_shows "statistics" 'Cannot get stats information: Invalid argument' ethtool -S tn0
lab_knob refuse "gstats 0"
lab_knob refuse "gstrings 5"
lab_check_shows "names" 'Input/output error' ethtool -S tn0
lab_knob refuse "gstrings 0"
lab_knob refuse "drvinfo 5"
lab_check_shows "driver information" 'Input/output error' ethtool -i tn0
lab_knob refuse "pfc 95"
lab_check_fails "PFC" dcb pfc show dev tn0
lab_knob refuse "ets 95"
lab_check_fails "ETS" dcb ets show dev tn0
lab_knob refuse "buffer 95"
lab_check_fails "buffer" dcb buffer show dev tn0
lab_knob refuse "maxrate 95"
lab_check_fails "maxrate" dcb maxrate show dev tn0
lab_knob refuse "app 1"
lab_check_fails "APP" dcb app add dev tn0 dscp-prio 10:1
lab_knob refuse "pause 95"
lab_check_shows "pause" 'not supported' ethtool -a tn0
lab_knob refuse "fec 5"
lab_check_shows "FEC" 'Input/output error' ethtool --show-fec tn0
lab_knob refuse "linkmodes 5"
# What ethtool says besides, and whether it calls that a success, depends on what else it could ask.
lab_check_shows "link modes" 'Input/output error' ethtool tn0
lab_check_equal "speed" "" "$(ethtool tn0 2>/dev/null | grep -E 'Speed: [0-9]')"
lab_knob refuse "rings 95"
lab_check_shows "rings" 'not supported' ethtool -g tn0
lab_knob refuse "all 0"
lab_check "all back" ethtool -S tn0
lab_check "all back" dcb pfc show dev tn0
lab_check "all back" ethtool -a tn0
lab_knob refuse "ethtool 5"
lab_check_fails "ethtool as a whole" ethtool -S tn0
lab_knob refuse "ethtool 0"

lab_knob gstats_delay_ms 700
t0=$(date +%s%N)
ethtool -S tn0 > /dev/null
lab_check_between "slow statistics, ms" 700 5000 $((($(date +%s%N) - t0) / 1000000))
lab_knob gstats_delay_ms 0
lab_knob bad_names 1
lab_check_shows "name with spaces" 'bad name with spaces: 1' ethtool -S tn0
lab_check_shows "name without terminator" 'full_32_bytes_without_terminator: 3' ethtool -S tn0
lab_check_shows "bytes that cannot be printed" $'bad\x01' ethtool -S tn0
lab_knob bad_names 0
lab_check_hides "names are good again" '^ +(bad name|bad.?$|full_32)' ethtool -S tn0

echo "== gone while it is read"
reads() {
    local n=0
    while ethtool -S tn0 && dcb pfc show dev tn0 && cat "$tn/counters"; do n=$((n + 1)); [ "$n" -lt 1000 ] || return 1; done
} > /dev/null 2>&1
reads & r1=$!
reads & r2=$!
lab_poll 1 false || true
lab_knob gone 1
lab_check "netdev goes" lab_poll 20 test ! -e /sys/class/net/tn0
wait "$r1" || true
wait "$r2" || true
lab_check "RDMA device goes with it" lab_poll 20 test ! -e /sys/class/infiniband/rxe0
lab_check_shows "knobs say so" 'No such device' bash -c "echo 1 > $tn/link"
lab_check "module unloads" rmmod rr_testnic
lab_check "PCIe reads are the machine's own again" test "$(cat "/sys/bus/pci/devices/$(basename "$port")/max_link_width")" = 16

echo "== loaded anew"
lab_driver name=ens driver=ice "firmware=\"4.20 test\"" trust=pcp pci_max_width=16 pci_cur_width=4 max_speed=25000
lab_check_shows "driver parameter" '^driver: ice' ethtool -i ens0
lab_check_shows "firmware parameter" '^firmware-version: 4.20 test' ethtool -i ens0
lab_check_hides "PCP trust parameter" '[0-9]:[0-9]' dcb app show dev ens0
lab_check_equal "width parameter" 4 "$(cat /sys/class/net/ens0/device/current_link_width)"
ip link set ens0 up
lab_check "link comes up" lab_poll 10 grep -q 1 /sys/class/net/ens0/carrier
lab_check_shows "speed parameter" 'Speed: 25000Mb/s' ethtool ens0
echo "== the function falls off the bus"
echo 1 > /sys/class/net/ens0/device/remove
lab_check "netdev goes with it" lab_poll 20 test ! -e /sys/class/net/ens0
lab_check "module unloads" rmmod rr_testnic
lab_check "its files are gone" test ! -e /sys/kernel/debug/rr_testnic
echo 1 > /sys/bus/pci/rescan
lab_check "the adapter is back after a rescan" lab_poll 20 test -e /sys/class/net/eth0
lab_driver
ip link set tn0 up
lab_check "link comes up again" lab_poll 10 grep -q 1 /sys/class/net/tn0/carrier
lab_check "module unloads with the device up" rmmod rr_testnic

lab_done
