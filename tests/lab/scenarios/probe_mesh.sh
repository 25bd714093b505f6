#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Three daemons that probe each other; what does the first one say when a path, a peer or the peer's settings go wrong?
#   tests/lab/run --machines 3 --timeout 900 tests/lab/scenarios/probe_mesh.sh tests/lab/follow.sh tests/lab/follow.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail
. "$(dirname "$0")/probe_report.sh"

config='profile: nvidia-lossless
http:
  listen: "[::]:9885"
judgement:
  initializing: 0s
  hold_down: 6s
probes:
  peers: ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
  secret_file: /tmp/secret
  paths: 4
  core_share: 1'  # an emulated core is a slow one
# In every machine: daemon_starts, daemon_dies.
functions='daemon_starts() {
    "$roceready" daemon --config /tmp/roceready.yaml > /tmp/daemon.out 2> /tmp/daemon.err &
    daemon=$!
    lab_poll 30 curl -sf http://127.0.0.1:9885/readyz || { cat /tmp/daemon.err; false; }
}
daemon_dies() { kill -9 "$daemon"; wait "$daemon" || true; }'
eval "$functions"
everywhere() { # TEXT
    local m
    for m in 2 3; do lab_on "$m" "$1" || lab_die "machine $m: $1"; done
    eval "$1"
}

# The snapshot's results in $report, so that p and r are as elsewhere; peer(N): what this node knows of machine N.
results() { curl -s http://127.0.0.1:9885/api/v1/probes > "$report"; }
now() { curl -s http://127.0.0.1:9885/diagnose > "$report"; }
# 64-bit counts are decimal strings in JSON.
about='
def counted(v):
    if isinstance(v, dict): return {k: counted(x) for k, x in v.items()}
    if isinstance(v, list): return [counted(x) for x in v]
    return int(v) if isinstance(v, str) and v.isdecimal() else v
def peer(n): return counted(next(x for x in r["peers"] if x["peer"].split(":")[0] == f"10.0.0.{n}" and x["kind"] == "ud"))'
# On a busy host everything here is slower, this machine's share of a processor first: limits are for one on which an
# interpreter starts in two seconds, and longer in proportion, six times at most.
begin=$(date +%s%N)
python3 -I -c 'import json, urllib.request'
pace=$(((($(date +%s%N) - begin) / 1000000 + 1999) / 2000))
[ "$pace" -le 6 ] || pace=6
echo "pace: $pace"
# within SECONDS WHAT results|now PYTHON: becomes true in that many seconds, times pace; the helpers of report.sh and peer(N) are known
within() {
    local rc=0
    timeout $((($1 + 40) * pace)) python3 -I -c '
import json, sys, time, urllib.request
seconds, page, about, test = sys.argv[1:]
url = "http://127.0.0.1:9885" + {"results": "/api/v1/probes", "now": "/diagnose"}[page]
end, why = time.monotonic() + float(seconds), ""
while True:
    try:
        r = json.load(urllib.request.urlopen(url, timeout=5))
        names = {"r": r}
        exec(about, names)
        exec("""
def ids(): return sorted({f["id"] for f in r["findings"] if f["severity"] != "info"})
def finding(i, peer=""): return next((f for f in r["findings"] if f["id"] == i and peer in (f["subject"].get("peer") or "")), None)
def severity(i, peer=""): return (finding(i, peer) or {}).get("severity")
""", names)
        if eval(test, names): sys.exit(0)
        why = "false"
    except Exception as error: why = repr(error)
    if time.monotonic() > end: break
    time.sleep(0.5)
print(why)
sys.exit(1)' "$(($1 * pace))" "$3" "$about" "$4" > /tmp/why || rc=$?
    "$3"
    lab_check_equal "$2" "true" "$([ "$rc" = 0 ] && echo true || echo "$(cat /tmp/why): not $4")"
}

both_up 2 3
printf '%s\n' "$config" > "$LAB_OUT/mesh.yaml"
lab_on 2 "$functions"
lab_on 3 "$functions"
everywhere 'printf "%s\n" "a secret that all of them share" > /tmp/secret; chmod 600 /tmp/secret; cp "$LAB_OUT/mesh.yaml" /tmp/roceready.yaml'
everywhere daemon_starts

echo "== a clean mesh"
within 60 "both peers answer" results 'all(peer(n)["sent"] >= 10 and peer(n)["lost"] == 0 for n in (2, 3))'
within 5 "itself is no peer" results 'not any(x["peer"].startswith("10.0.0.1:") for x in r["peers"])'
within 5 "the class is kept" results 'all(peer(n)["traffic_class"]["dscp_received"] == 26 and peer(n)["traffic_class"]["rewritten"] == 0 for n in (2, 3))'
within 5 "four paths" results 'all(len(peer(n)["paths"]) == 4 for n in (2, 3))'
within 20 "nothing is found" now 'not [i for i in ids() if i.startswith(("probe-", "fabric-"))]'
within 20 "probes could be judged" now 'not [u["rule"] for u in r["unknown"] if (u["rule"] or "").startswith("probe-")]'
cp "$report" "$LAB_OUT/mesh-clean.json"
curl -s http://127.0.0.1:9885/metrics > "$LAB_OUT/mesh-metrics.txt"
lab_check_shows "round trips are a histogram" '^roce_probe_[a-z_]*_bucket\{.*kind="ud"' cat "$LAB_OUT/mesh-metrics.txt"
lab_check "promtool finds nothing" bash -c "promtool check metrics < $LAB_OUT/mesh-metrics.txt"
lab_check "a recording is made while it probes" "$roceready" record /tmp/recorded --duration 1s --config /tmp/roceready.yaml
lab_check_shows "it holds what the daemon knows" '10\.0\.0\.3:9885' cat /tmp/recorded/0000/probes/results.json

echo "== loss to one peer, the class rewritten on the way to the other"
lab_on 2 'lab_path "op=0x60/0xe0 src=10.0.0.1 pick=1/5 drop"'
lab_on 3 'lab_path "dscp=26 src=10.0.0.1 set-dscp=0"'
within 60 "lost to it" results 'peer(2)["lost"] * 20 >= peer(2)["sent"] > 0'
within 60 "found" now 'severity("probe-loss", "10.0.0.2")'
within 5 "the other peer is not accused" now 'not finding("probe-loss", "10.0.0.3")'
within 30 "seen, with both values" results '(peer(3)["traffic_class"]["dscp_sent"], peer(3)["traffic_class"]["dscp_received"]) == (26, 0)'
within 30 "critical in a lossless fabric" now 'severity("probe-dscp-rewritten", "10.0.0.3") == "critical"'
lab_on 2 'lab_path clear'
lab_on 3 'lab_path clear'

echo "== a path MTU black hole to one, ECN bleached to the other"
lab_on 2 'lab_path "len=1500- src=10.0.0.1 drop"'
lab_on 3 'lab_path "set-ecn=0"'
within 90 "black hole found" now 'severity("probe-mtu-blackhole", "10.0.0.2") == "critical"'
within 5 "small probes pass" results 'peer(2)["lost_in_row"] == 0 and peer(2)["mtu_lost"] > 0'
within 60 "ECN bleached is a warning" now 'severity("probe-ecn-bleached", "10.0.0.3") == "warning"'
within 60 "the loss is over" now 'not finding("probe-loss") or finding("probe-loss")["state"] == "recovering"'
lab_on 2 'lab_path clear'
lab_on 3 'lab_path clear'

echo "== one bad path of four, a peer whose PFC differs"
results
victim=$(number '[x for x in r["peers"] if x["peer"].startswith("10.0.0.2:") and x["kind"] == "ud"][0]["paths"][2]["source_qp"]')
lab_on 2 "lab_path 'sqp=$victim src=10.0.0.1 drop'"
lab_on 3 'dcb pfc set dev tn0 prio-pfc 3:off 4:on'
within 90 "found" now 'finding("probe-path-outlier", "10.0.0.2")'
within 30 "by its queue pair" results "[x['source_qp'] for x in peer(2)['paths'] if x['lost'] * 2 > x['sent']] == [$victim]"
within 40 "its PFC mask is known" results '[d for d in r["digests"] if d["peer"].startswith("10.0.0.3:")][0]["digest"]["ports"][0]["pfc_mask"] == 16'
lab_check "it says itself that it differs from the others" lab_on 3 'lab_poll 40 bash -c "curl -s http://127.0.0.1:9885/diagnose | grep -q fabric-config-mismatch@rxe0/1"'
lab_on 2 'lab_path clear'
lab_on 3 'dcb pfc set dev tn0 prio-pfc 3:on 4:off'

echo "== a peer restarts, another boots, and forgets the secret"
lab_on 2 daemon_dies
within 30 "unreachable" now 'severity("probe-unreachable", "10.0.0.2")'
lab_on 2 daemon_starts
lab_on 3 'daemon_dies; rmmod rr_testnic; lab_poll 20 test ! -e /sys/class/infiniband/rxe0; lossless_nic && lab_ipv6 && daemon_starts'
within 40 "answers again" results 'peer(2)["lost_in_row"] == 0 and peer(2)["sent"] > 0'
within 40 "so does one with a new device" results 'peer(3)["lost_in_row"] == 0'
lab_on 3 'daemon_dies; printf "%s\n" "another secret than the others" > /tmp/secret; daemon_starts'
within 40 "a peer with another secret is named" results '"is signed with another secret" in peer(3)["error"]'
within 5 "the rest goes on" results 'peer(2)["lost_in_row"] == 0'
lab_on 3 'daemon_dies; printf "%s\n" "a secret that all of them share" > /tmp/secret; daemon_starts'
within 60 "and it is back" results 'peer(3)["lost_in_row"] == 0'

echo "== a port goes away while it probes"
results
before=$(number '[int(x["total_lost"]) for x in r["peers"] if x["peer"].startswith("10.0.0.2:") and x["kind"] == "ud"][0]')
lab_knob link 0
# A probe that was under way when the link went has no answer: one of each size.
within 30 "probes that cannot be sent are not loss" results "peer(2)['not_sent'] >= 10 and peer(2)['total_lost'] <= $before + 2"
results
before=$(number '[int(x["total_sent"]) for x in r["peers"] if x["peer"].startswith("10.0.0.2:") and x["kind"] == "ud"][0]')
lab_knob link 1
within 40 "and back" results "peer(2)['total_sent'] > $before + 5 and all(peer(n)['lost_in_row'] == 0 for n in (2, 3))"
lab_knob gone 1
lab_check "netdev goes" lab_poll 30 test ! -e /sys/class/net/tn0
lab_check "its RDMA device goes: the daemon lets it" lab_poll 10 test ! -e /sys/class/infiniband/rxe0
within 5 "the reason is known: it is gone, not merely down" results 'any(w in r["blocked"].get("rxe0/1", "") for w in ("was removed", "is gone from the port"))'
lab_check "the daemon lives" curl -sf http://127.0.0.1:9885/healthz
rmmod rr_testnic
lossless_nic
within 60 "and probes when it is back" results 'peer(2)["sent"] > 0 and peer(2)["lost_in_row"] == 0'
kill -TERM "$daemon"
rc=0; wait "$daemon" || rc=$?
lab_check_equal "it ends when told" 0 "$rc"
lab_done
