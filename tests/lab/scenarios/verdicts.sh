#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One fault after the other at a real kernel, one-shot: what does the report say?  verdicts.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"

lossless=(--profile nvidia-lossless)

echo "== healthy"
lossless_nic
take "${lossless[@]}"
keep healthy
expect "a healthy port is ready" ready 'r["verdict"]'
lab_check_equal "exit code" 0 "$code"
expect "its score" 100 'round(r["score"])'
expect "no finding above info" '[]' 'ids()'
expect "what rxe cannot count is named, not silent" true '"transport-ack-timeout" in unlooked()'
expect "the rdma_cm view that nobody made is all that is unknown" '["roce-cma-v1-default", "roce-tos-default-zero", "roce-tos-not-ect"]' 'unknown()'
expect "the port has its facts" '[3]' 'port()["qos"]["pfc_priorities"]'
expect "trust" '"dscp"' 'json.dumps(port()["qos"]["trust"])'
expect "the RDMA MTU comes from the device" 4096 'port()["roce"]["active_mtu"]'
"$roceready" diagnose "${lossless[@]}" > "$LAB_OUT/healthy.txt" || true
cat "$LAB_OUT/healthy.txt"

echo "== without a profile it is software RDMA"
take
expect "not applicable" not_applicable 'r["verdict"]'
lab_check_equal "exit code" 3 "$code"

echo "== PFC off"
dcb pfc set dev tn0 prio-pfc 3:off
take "${lossless[@]}"
keep pfc-off
expect "not ready" not_ready 'r["verdict"]'
lab_check_equal "exit code" 2 "$code"
expect "the first thing to fix" pfc-disabled 'first()'
expect "score" true 'r["score"] <= 49'
expect "penalties add up" true 'abs(100 - sum(p["points"] for p in port()["penalties"]) - port()["score"]) < 1e-6'
"$roceready" diagnose "${lossless[@]}" > "$LAB_OUT/pfc-off.txt" || true
cat "$LAB_OUT/pfc-off.txt"
dcb pfc set dev tn0 prio-pfc 3:on
take "${lossless[@]}"
expect "and back" ready 'r["verdict"]'

echo "== PFC on another priority"
dcb pfc set dev tn0 prio-pfc 3:off 4:on
take "${lossless[@]}"
expect "wrong priority" pfc-wrong-priority 'first()'
expect "and not disabled" null 'severity("pfc-disabled")'
dcb pfc set dev tn0 prio-pfc 3:on 4:off

echo "== DSCP map"
dcb app replace dev tn0 dscp-prio 26:0
take "${lossless[@]}"
keep dscp-map
expect "the map" qos-dscp-map 'first()'
expect "critical" critical 'severity("qos-dscp-map")'
dcb app replace dev tn0 dscp-prio 26:3
take "${lossless[@]}"
expect "and back" ready 'r["verdict"]'

echo "== pause storm received"
# Demand: something was being sent on the priority just before it stopped.
lab_knob set "tx_prio3_bytes 123456789000"
lab_knob rate "rx_prio3_pause_duration 999000"
lab_knob rate "rx_prio3_pause 9000"
lab_knob rate "tx_prio3_bytes 0"
take "${lossless[@]}" --window 4s
keep storm-rx
expect "storm" true '"pfc-storm-rx" in ids()'
lab_check "the verdict is not green" test "$code" -ne 0
lab_knob rate "rx_prio3_pause_duration 0"
lab_knob rate "rx_prio3_pause 0"

echo "== loss"
buffer=$(dcb buffer show dev tn0 prio-buffer | grep -o '3:[0-7]' | cut -d: -f2)
lab_knob rate "rx_prio${buffer}_discards 50"
lab_knob rate "rx_discards_phy 50"
take "${lossless[@]}" --window 3s
keep drops
expect "drops of the priority's receive buffer are a warning at once" warning 'severity("drop-rx-lossless-prio")'
expect "the seconds that were seen are named" true '"last 3" in finding("drop-rx-lossless-prio")["seen"]'
lab_knob rate "rx_prio${buffer}_discards 0"
lab_knob rate "rx_discards_phy 0"

echo "== link-level pause beside PFC"
ethtool -A tn0 rx on tx on
take "${lossless[@]}"
expect "conflict" warning 'severity("pfc-global-pause")'
ethtool -A tn0 rx off tx off

echo "== MTU"
ip link set tn0 mtu 1500
lab_poll 10 bash -c "ip link show tn0 | grep -q 'mtu 1500'"
take "${lossless[@]}"
expect "small RDMA MTU" warning 'severity("roce-mtu-low")'
ip link set tn0 mtu 4200

echo "== refused readings"
lab_knob refuse "gstats 22"
take "${lossless[@]}"
keep refused
lab_check "refused statistics are not green" test "$code" -ne 0
expect "the drop counter is unknown" true '"drop-rx-lossless-prio" in unknown()'
expect "with the errno" true 'any("EINVAL" in u["detail"] for u in r["unknown"])'
expect "the settings are judged all the same" '[]' 'ids()'
lab_knob refuse "gstats 0"
lab_knob refuse "pfc 5"
take "${lossless[@]}"
expect "PFC that cannot be read is unknown" unknown 'r["verdict"]'
expect "by name" true '"pfc-disabled" in unknown()'
lab_knob refuse "pfc 0"
lab_knob bad_names 1
take "${lossless[@]}"
expect "strange statistics names cost nothing" ready 'r["verdict"]'
lab_knob bad_names 0

echo "== no GID"
ip addr flush dev tn0
take "${lossless[@]}"
lab_check "no address: not green" test "$code" -ne 0
ip addr add "10.0.0.$LAB_ID/24" dev tn0
lab_poll 20 _lab_port_ready rxe0 0

echo "== link down"
lab_knob ext_state "4"
lab_knob link 0
lab_poll 10 grep -q 0 /sys/class/net/tn0/carrier
take "${lossless[@]}"
keep link-down
expect "link down first" link-down 'first()'
expect "with the reason" true '"cable" in finding("link-down")["seen"].lower()'
lab_check_equal "exit code" 2 "$code"
lab_knob ext_state "-1"
lab_knob link 1
lab_poll 10 grep -q 1 /sys/class/net/tn0/carrier
lab_poll 20 _lab_port_ready rxe0 0
take "${lossless[@]}"
expect "and back" ready 'r["verdict"]'

echo "== wrong usage"
lab_check_shows "unknown profile" 'nvidia-lossless' "$roceready" diagnose --profile nvidia-losless
rc=0; "$roceready" diagnose --profile nvidia-losless > /dev/null 2>&1 || rc=$?
lab_check_equal "exit code of wrong usage" 64 "$rc"

lab_done
