#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The daemon on a real kernel: HTTP, metrics, faults while it samples, reload, a NIC that goes away.  daemon.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"

lossless_nic
cat > /tmp/roceready.yaml <<'CONFIG'
profile: nvidia-lossless
http:
  listen: "127.0.0.1:9885"
judgement:
  initializing: 0s
  hold_down: 6s
sampling:
  interval: 1s
CONFIG
lab_check "the configuration is good" "$roceready" check-config /tmp/roceready.yaml

start() {
    "$roceready" daemon --config /tmp/roceready.yaml > /tmp/daemon.out 2> /tmp/daemon.err &
    daemon=$!
    lab_poll 20 curl -sf http://127.0.0.1:9885/readyz
}
# now: the daemon's present report into $report
now() { curl -s http://127.0.0.1:9885/diagnose > "$report"; }
# within SECONDS WHAT WANTED PYTHON
within() {
    local end=$((SECONDS + $1)) got=
    while :; do
        now
        got=$(ask "$4" 2> /dev/null) || got=
        [ "$got" != "$3" ] && [ "$SECONDS" -lt "$end" ] || break
        sleep 0.2
    done
    lab_check_equal "$2" "$3" "$got"
}

start
lab_check_shows "it says where it listens" '127.0.0.1:9885' cat /tmp/daemon.err
lab_check "alive" curl -sf http://127.0.0.1:9885/healthz
within 10 "ready" ready 'r["verdict"]'
keep daemon-healthy
lab_check "/diagnose as text" curl -sf "http://127.0.0.1:9885/diagnose?format=text"
curl -s http://127.0.0.1:9885/metrics > "$LAB_OUT/metrics.txt"
lab_check "promtool finds nothing" bash -c "promtool check metrics < $LAB_OUT/metrics.txt"
lab_check_shows "the verdict is a metric" '^roce_node_verdict\{verdict="ready"\} 1' cat "$LAB_OUT/metrics.txt"
lab_check_shows "a canonical counter" '^roce_pfc_rx_pause_seconds_total\{device="rxe0",port="1",netdev="tn0",priority="3"\}' cat "$LAB_OUT/metrics.txt"
lab_check_hides "no counter of a priority without PFC" 'roce_pfc_rx_pause_seconds_total.*priority="4"' cat "$LAB_OUT/metrics.txt"
lab_check "compressed" bash -c "curl -s -H 'Accept-Encoding: gzip' http://127.0.0.1:9885/metrics | gzip -t"
lab_check_shows "OpenMetrics on request" '^# EOF' curl -s -H 'Accept: application/openmetrics-text; version=1.0.0' http://127.0.0.1:9885/metrics
rc=0; "$roceready" diagnose --daemon > "$LAB_OUT/by-daemon.txt" || rc=$?
lab_check_equal "diagnose --daemon" 0 "$rc"
lab_check_shows "an unknown page is a problem document" 'application/problem\+json' curl -si http://127.0.0.1:9885/nothing
lab_check_shows "only GET" '^HTTP/1.1 405' curl -si -X POST http://127.0.0.1:9885/diagnose
rc=0; "$roceready" daemon --config /tmp/roceready.yaml > /tmp/second.out 2>&1 || rc=$?
lab_check_equal "a second daemon on the port is an error" 74 "$rc"
lab_check_shows "that names it" '9885' cat /tmp/second.out

echo "== a fault while it samples"
dcb pfc set dev tn0 prio-pfc 3:off
within 3 "within two samples" pfc-disabled 'first()'
within 1 "not ready" not_ready 'r["verdict"]'
lab_check_shows "a finding metric" '^roce_finding\{.*rule="pfc-disabled".*severity="critical".*\} 1' curl -s http://127.0.0.1:9885/metrics
rc=0; "$roceready" diagnose --daemon > /dev/null || rc=$?
lab_check_equal "diagnose --daemon says so" 2 "$rc"
dcb pfc set dev tn0 prio-pfc 3:on
within 8 "and back" null 'first()'

echo "== storm with restoration"
lab_knob rate "tx_prio3_bytes 5000000000"
within 6 "traffic flows" true 'port()["rates"]["tx_pause_share_priority_3"] == 0'
lab_poll 3 false || true
lab_knob rate "tx_prio3_bytes 0"
lab_knob rate "rx_prio3_pause_duration 999000"
within 8 "a storm that stops traffic is critical" critical 'severity("pfc-storm-rx")'
lab_check_shows "in the metric" '^roce_pfc_storm_active\{.*priority="3",direction="rx"\} 1' curl -s http://127.0.0.1:9885/metrics
lab_knob rate "rx_prio3_pause_duration 0"
within 8 "then recovers" recovering '(finding("pfc-storm-rx") or {}).get("state")'
within 16 "then is forgotten" null 'finding("pfc-storm-rx")'

echo "== statistics refused while it samples"
lab_knob refuse "gstats 5"
within 6 "unknown, with the errno" true 'any("EIO" in u["detail"] for u in r["unknown"])'
lab_check "not green" test "$(ask 'r["verdict"]')" != ready
lab_knob refuse "gstats 0"
within 20 "and back" ready 'r["verdict"]'

echo "== reload"
sed -i 's/initializing: 0s/initializing: 0 bananas/' /tmp/roceready.yaml
kill -HUP "$daemon"
lab_check "a bad file is told" lab_poll 5 grep -q bananas /tmp/daemon.err
within 3 "and the old one goes on" ready 'r["verdict"]'
# The metrics are those of the last sample; the next one carries the news.
lab_check "in a metric too" lab_poll 5 bash -c 'curl -s http://127.0.0.1:9885/metrics | grep -q "^roce_config_reload_success 0"'

echo "== a driver call that hangs"
lab_knob gstats_delay_ms 25000
lab_check "the old report is no answer" lab_poll 25 bash -c '! curl -sf http://127.0.0.1:9885/readyz'
rc=0; "$roceready" diagnose --daemon > /tmp/hung 2>&1 || rc=$?
lab_check_equal "a gate is told that nothing is known" 3 "$rc"
lab_check_shows "and why" 'stuck|ticked' cat /tmp/hung
lab_knob gstats_delay_ms 0
lab_check "it goes on" lab_poll 40 curl -sf http://127.0.0.1:9885/healthz

echo "== the NIC goes away while it is read"
lab_knob gone 1
lab_check "netdev goes" lab_poll 20 test ! -e /sys/class/net/tn0
within 8 "not green" not_ready 'r["verdict"]'
keep daemon-gone
lab_check "the daemon lives" curl -sf http://127.0.0.1:9885/healthz
lab_check_hides "no series of a device that is gone" 'roce_pfc_rx_pause_frames_total' curl -s http://127.0.0.1:9885/metrics

kill -TERM "$daemon"
rc=0; wait "$daemon" || rc=$?
lab_check_equal "it ends when told" 0 "$rc"
lab_done
