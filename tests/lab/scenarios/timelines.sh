#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a daemon says minute by minute: three quiet minutes under traffic, then faults on four rails side by side, each at
# its own pace; counters that begin anew; a clock that jumps (machine with --nics 4).  timelines.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"
lab_nic
for i in 0 1 2 3; do lossless "tn$i"; done
# What years of work left behind, and what goes on now: nothing of it is a fault.
for i in 0 1 2 3; do
    for stat in rx_prio3_pause rx_prio3_pause_duration tx_prio3_pause rx_discards_phy tx_discards_phy fec_uncorrectable_blocks \
        rx_crc_errors_phy tx_pause_storm_error_events; do
        lab_knob set "$stat 123456789" "tn$i"
    done
    lab_knob rate "tx_prio3_bytes 6000000000" "tn$i"
    lab_knob rate "rx_prio3_bytes 5000000000" "tn$i"
    lab_knob rate "tx_bytes_phy 6000000000" "tn$i"
    lab_knob rate "rx_bytes_phy 5000000000" "tn$i"
    lab_knob rate "tx_vport_rdma_unicast_bytes 5900000000" "tn$i"
    lab_knob rate "rx_vport_rdma_unicast_bytes 4900000000" "tn$i"
    lab_knob rate "tx_vport_rdma_unicast_packets 1500000" "tn$i"
    lab_knob rate "rx_vport_rdma_unicast_packets 1200000" "tn$i"
    lab_knob rate "rx_prio3_pause_duration 200" "tn$i"
done

cat > /tmp/roceready.yaml <<'CONFIG'
profile: nvidia-lossless
http:
  listen: "127.0.0.1:9885"
judgement:
  initializing: 5s
  hold_down: 20s
state:
  directory: /tmp/state
CONFIG
mkdir -p /tmp/state
"$roceready" daemon --config /tmp/roceready.yaml > /tmp/daemon.out 2> /tmp/daemon.err &
daemon=$!
lab_poll 20 curl -sf http://127.0.0.1:9885/readyz
now() { curl -s http://127.0.0.1:9885/diagnose > "$report"; }
# on PORT RULE: severity of the finding on that rail, "none" without one
on() { ask '(next((f for f in r["findings"] if f["id"] == "'"$2"'" and f["subject"]["device"] == "'"$1"'"), None) or {}).get("severity", "none")'; }
# reaches SECONDS WHAT WANTED PORT RULE
reaches() {
    local end=$((SECONDS + $1)) got=
    while :; do
        now
        got=$(on "$4" "$5" 2> /dev/null) || got=
        [ "$got" != "$3" ] && [ "$SECONDS" -lt "$end" ] || break
        sleep 0.3
    done
    lab_check_equal "$2" "$3" "$got"
}

echo "== three quiet minutes"
loud=
quiet_end=$((SECONDS + 180))
while [ "$SECONDS" -lt "$quiet_end" ]; do
    now
    seen=$(ask '" ".join(sorted({f["key"] for f in r["findings"] if f["severity"] != "info"}))')
    [ -z "$seen" ] || loud=$seen
    sleep 2
done
lab_check_equal "nobody is called" "" "$loud"
now
expect "ready" ready 'r["verdict"]'
expect "with all its points" 100.0 'float(r["score"])'
keep timelines-quiet

echo "== four rails, four faults"
begin=$SECONDS
lab_knob rate "tx_prio3_pause_duration 20000" tn0          # a slow receiver: 2 % of the time, far below line rate
lab_knob rate "tx_prio3_pause 4000" tn0
lab_knob rate "tx_prio3_bytes 0" tn1                       # RDMA leaves on priority 0
lab_knob rate "tx_prio0_bytes 6000000000" tn1
for _ in 1 2 3; do                                         # a link that flaps
    lab_knob link 0 tn2; sleep 1
    lab_knob link 1 tn2; sleep 2
done
lab_knob set "fec_uncorrectable_blocks 123456790" tn3      # FEC at its end: first one block …
reaches 10 "three drops of the link are critical at once" critical rxe2 link-flap
reaches 10 "one lost block is a warning" warning rxe3 link-fec-uncorrectable
lab_knob rate "fec_uncorrectable_blocks 5" tn3             # … then five a second
sleep 15
reaches 1 "many are a warning still: the limit is ours, and nothing else on this rail confirms it" warning rxe3 link-fec-uncorrectable
now
expect "what is not sustained yet calls nobody" true '(finding("pfc-tx-pause-high") or {"severity": "info"})["severity"] == "info"'
expect "the flapping rail is not ready, the slow one is not judged by it" true '{p["device"]: p["verdict"] for p in r["ports"]}["rxe2"] == "not_ready" and {p["device"]: p["verdict"] for p in r["ports"]}["rxe0"] == "ready"'
reaches $((begin + 130 - SECONDS)) "RDMA on another priority is found within two minutes" warning rxe1 qos-rdma-on-wrong-prio
reaches $((begin + 260 - SECONDS)) "a slow receiver within five" warning rxe0 pfc-tx-pause-high
now
keep timelines-faults
expect "each rail has its own first cause" '["link-fec-uncorrectable", "link-flap", "pfc-tx-pause-high", "qos-rdma-on-wrong-prio"]' \
    'sorted({c["id"] for c in r["causes"] if c["severity"] != "info"} & {"link-flap", "link-fec-uncorrectable", "pfc-tx-pause-high", "qos-rdma-on-wrong-prio"})'
since=$(ask 'finding("link-flap")["since"]')

echo "== the clock jumps"
date -s "+2 hours" > /dev/null
sleep 3
now
expect "what was found stays" critical 'severity("link-flap")'
expect "nothing is called that was not there" true 'set(ids()) <= {"link-flap", "link-fec-uncorrectable", "link-drop-long", "pfc-tx-pause-high", "qos-rdma-on-wrong-prio"} | {i for i in ids() if i.startswith("qos-") or i.startswith("drop-") or i.startswith("transport-")}'
date -s "-2 hours" > /dev/null
sleep 2
now
expect "since when stays, within the second that a step of the clock is set to" true '(lambda at: abs(at(finding("link-flap")["since"]) - at("'"$since"'")) < 2)(lambda text: __import__("datetime").datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())'

echo "== a driver that is loaded anew"
rmmod rr_testnic
lab_poll 20 test ! -e /sys/class/infiniband/rxe0
lab_nic
for i in 0 1 2 3; do lossless "tn$i"; done
sleep 3
now
expect "its counters are at zero" true "$(ethtool -S tn0 | awk '$1 == "rx_prio3_pause:" { print $2 == 0 ? "True" : "False" }')"
expect "that is no storm, no loss and no drop" '[]' \
    '[i for i in ids() if i in ("pfc-storm-tx", "pfc-storm-rx", "drop-rx-lossless-prio", "drop-tx-discards", "link-symbol-crc")]'

echo "== a daemon that is killed in a storm"
lab_knob rate "tx_prio3_pause_duration 990000" tn0
lab_knob rate "tx_prio3_pause 40000" tn0
reaches 15 "a storm of this host is critical" critical rxe0 pfc-storm-tx
since=$(ask 'finding("pfc-storm-tx")["since"]')
sleep 3                                                    # what the writer has in hand
kill -9 "$daemon"
wait "$daemon" || true
"$roceready" daemon --config /tmp/roceready.yaml >> /tmp/daemon.out 2>> /tmp/daemon.err &
daemon=$!
lab_poll 20 curl -sf http://127.0.0.1:9885/readyz
now
expect "within five minutes of the same boot it does not begin anew" true 'r["verdict"] != "initializing"'
reaches 10 "the storm goes on" critical rxe0 pfc-storm-tx
now
expect "since it began" "$since" 'finding("pfc-storm-tx")["since"]'
storms() { curl -s http://127.0.0.1:9885/api/v1/incidents | python3 -I -c '
import json, sys
print([i["end"] is None for i in json.load(sys.stdin)["incidents"] if i["rule"] == "pfc-storm-tx"])'; }
lab_check_equal "one storm is one incident, and it goes on" "[True]" "$(storms)"
lab_knob rate "tx_prio3_pause_duration 0" tn0
lab_knob rate "tx_prio3_pause 0" tn0
sleep 35                                                   # two seconds without pause, then the hold-down
lab_check_equal "then it has ended" "[False]" "$(storms)"

kill "$daemon"
wait "$daemon"
lab_done
