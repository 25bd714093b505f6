#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two daemons that connect to each other with the RDMA connection manager: what do they say when only its own messages get
# lost, when the link is pulled, and do they let the device go?
#   tests/lab/run --machines 2 --timeout 900 tests/lab/scenarios/connections.sh tests/lab/follow.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail
. "$(dirname "$0")/probe_report.sh"

functions='daemon_starts() {
    printf "%s\n" "a secret that both of them share" > /tmp/secret
    chmod 600 /tmp/secret
    cp "$LAB_OUT/mesh.yaml" /tmp/roceready.yaml
    "$roceready" daemon --config /tmp/roceready.yaml > /tmp/daemon.out 2> /tmp/daemon.err &
    daemon=$!
    lab_poll 30 curl -sf http://127.0.0.1:9885/readyz || { cat /tmp/daemon.err; false; }
}'
eval "$functions"
# within SECONDS WHAT probes|diagnose PYTHON: becomes true in that many seconds. Of the answer r: conn and ud are what is
# known of the peer by both ways, bad the finding.
within() {
    local rc=0
    python3 -I - "$1" "$3" "$4" > /tmp/why 2>&1 << 'END' || rc=$?
import json, sys, time, urllib.request
seconds, page, test = sys.argv[1:]
url = "http://127.0.0.1:9885" + {"probes": "/api/v1/probes", "diagnose": "/diagnose"}[page]
end, names = time.monotonic() + float(seconds), {}
while True:
    try:
        r = json.load(urllib.request.urlopen(url, timeout=5))
        kinds = {p["kind"]: {k: int(v) if isinstance(v, str) and v.isdecimal() else v for k, v in p.items()} for p in r.get("peers", [])}
        names = {"r": r, "conn": kinds.get("rdmacm"), "ud": kinds.get("ud")}
        names["bad"] = next((f for f in r.get("findings", []) if f["id"] == "probe-rdmacm-fail"), None)
        if eval(test, names): sys.exit(0)
        why = "false"
    except Exception as error: why = repr(error)
    if time.monotonic() > end: break
    time.sleep(1)
print(why, json.dumps(names.get("conn")))
sys.exit(1)
END
    lab_check_equal "$2" "true" "$([ "$rc" = 0 ] && echo true || echo "$(cat /tmp/why): not $4")"
}

both_up 2
printf '%s\n' 'profile: nvidia-lossless
http:
  listen: "[::]:9885"
judgement:
  initializing: 0s
  hold_down: 6s
probes:
  peers: ["10.0.0.1", "10.0.0.2"]
  secret_file: /tmp/secret
  timeout: 3s
  core_share: 1' > "$LAB_OUT/mesh.yaml"
lab_on 2 "$functions"
lab_on 2 daemon_starts
daemon_starts

echo "== connections are made"
within 90 "a connection" probes 'conn["sent"] >= 1 and conn["lost"] == 0 and not isinstance(conn["error"], str)'
within 5 "no finding" diagnose 'not bad'
curl -s http://127.0.0.1:9885/metrics > "$LAB_OUT/connections-metrics.txt"
lab_check_shows "nobody was refused" '^roce_probe_refused_connections_total 0$' cat "$LAB_OUT/connections-metrics.txt"

echo "== messages of the connection manager get lost, others do not"
lab_on 2 'lab_path "qp=1 src=10.0.0.1 drop"'
within 260 "found" diagnose 'bad and bad["severity"] == "critical"'
curl -s http://127.0.0.1:9885/diagnose > "$LAB_OUT/connections-blocked.json"
within 5 "with the stage" diagnose '"connect: no answer from 10.0.0.2" in bad["seen"]'
within 5 "datagrams are answered" probes 'ud["lost_in_row"] == 0'
lab_on 2 'lab_path clear'
within 240 "and it is over" diagnose 'not bad or bad["state"] == "recovering"'

echo "== the link is pulled for three minutes"
lab_knob link 0
sleep 180
within 2 "not accused while it is down" diagnose 'not bad or bad["state"] == "recovering"'
lab_knob link 1
within 60 "datagrams are answered again" probes 'ud["lost_in_row"] == 0 and ud["sent"] > 0'
for ((i = 0; i < 8; i++)); do
    sleep 15
    within 2 "not accused behind it ($i)" diagnose 'not bad or bad["state"] == "recovering"'
done
within 90 "connections are made again" probes 'conn["lost_in_row"] == 0 and not isinstance(conn["error"], str)'

echo "== the device goes at once"
begin=$(date +%s%N)
rdma link del rxe0
lab_check_between "milliseconds" 0 3000 $((($(date +%s%N) - begin) / 1000000))
lab_check "the daemon lives" curl -sf http://127.0.0.1:9885/healthz
kill -TERM "$daemon"
rc=0; wait "$daemon" || rc=$?
lab_check_equal "it ends when told" 0 "$rc"
lab_done
