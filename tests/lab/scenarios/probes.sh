#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Probes on demand from this machine to a responder in the other, over a path that misbehaves:
#   tests/lab/run --machines 2 --timeout 900 tests/lab/scenarios/probes.sh tests/lab/follow.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail
. "$(dirname "$0")/probe_report.sh"

# responder_starts [OPTION...]
responder_starts() {
    lab_on 2 "'$roceready' responder $* > /tmp/responder.log 2>&1 & responder=\$!
              lab_poll 30 bash -c 'ss -ltn | grep -q :9885' || { cat /tmp/responder.log; false; }"
}
responder_dies() { lab_on 2 'kill -9 $responder; wait $responder' || true; }

both_up
lab_check "a responder needs no configuration" responder_starts
lab_check_shows "it says where it listens" 9885 lab_on 2 'cat /tmp/responder.log'

echo "== clean"
for kind in ud rc-write rc-read rc-send; do
    for peer in 10.0.0.2 '[fd00::2]:9885'; do
        probe --kind "$kind" --count 100 "$peer"
        exits 0 "$kind to $peer"
        holds "$kind to $peer" <<'END'
one peer: len(r["peers"]) == 1
our port: (p["device"], p["port"]) == ("rxe0", 1)
all sent: p["sent"] == 100
none lost: p["lost"] == 0
times in order: 0 < p["rtt_seconds"]["min"] <= p["rtt_seconds"]["p50"] <= p["rtt_seconds"]["p90"] <= p["rtt_seconds"]["p99"] <= p["rtt_seconds"]["max"]
the hosts' time is not in it: p["rtt_seconds"]["p50"] <= p["total_seconds"]["p50"]
its clock is named: p["clock"]
no error: not p.get("error")
END
        [ "$kind" != ud ] || holds "class to $peer" <<'END'
DSCP: p["dscp"] == {"sent": 26, "received": 26}
ECN: p["ecn"] == {"sent": 2, "received": 2}
TTL: p["ttl"] == 64
END
    done
done
probe --kind ud --count 20 --dscp 46 10.0.0.2
exits 0 "another DSCP"
holds "another DSCP" <<< 'arrives: p["dscp"] == {"sent": 46, "received": 46}'
probe --kind ud --count 20 --mtu-sweep 10.0.0.2
exits 0 "all sizes"
holds "all sizes" <<< 'the largest passes: 4096 in numbers(p["mtu"])'
probe --kind ud --count 200 --paths 4 10.0.0.2
exits 0 "four paths"
holds "four paths" <<'END'
four: len(p["paths"]) == 4
none loses: all(x["lost"] == 0 for x in p["paths"])
each is used: all(x["sent"] > 0 for x in p["paths"])
END
"$roceready" probe --kind ud --count 20 10.0.0.2 | tee "$LAB_OUT/probe.txt"
lab_check_shows "a table" '10\.0\.0\.2' cat "$LAB_OUT/probe.txt"

echo "== loss"
path_there "op=0x60/0xe0 pick=1/100 drop"
probe --kind ud --count 1000 10.0.0.2
exits 1 "1 % lost on the way there"
holds "1 % lost on the way there" <<'END'
sent: p["sent"] == 1000
lost: 7 <= p["lost"] <= 13
END
calm
path_here "op=0x60/0xe0 pick=1/50 drop"
probe --kind ud --count 500 10.0.0.2
exits 1 "lost on the way back"
holds "lost on the way back" <<< 'lost: 5 <= p["lost"] <= 30'
calm
path_there "op=0/0xe0 pick=1/30 drop"
probe --kind rc-write --count 200 10.0.0.2
holds "loss that the NIC repairs" <<< 'all written: p["lost"] == 0'
calm

echo "== class"
for peer in 10.0.0.2 '[fd00::2]:9885'; do
    path_there "dscp=26 set-dscp=0"
    probe --kind ud --count 50 "$peer"
    exits 1 "DSCP rewritten to $peer"
    holds "DSCP rewritten to $peer" <<'END'
sent and received: p["dscp"] == {"sent": 26, "received": 0}
ECN is as it was: p["ecn"] == {"sent": 2, "received": 2}
none lost: p["lost"] == 0
END
    calm
    path_there "set-ecn=3"
    probe --kind ud --count 50 "$peer"
    exits 0 "congestion marked to $peer"
    holds "congestion marked to $peer" <<< 'CE: p["ecn"] == {"sent": 2, "received": 3}'
    calm
    path_there "set-ecn=0"
    probe --kind ud --count 50 "$peer"
    exits 1 "ECN bleached to $peer"
    holds "ECN bleached to $peer" <<'END'
not ECT: p["ecn"] == {"sent": 2, "received": 0}
DSCP is as it was: p["dscp"] == {"sent": 26, "received": 26}
END
    calm
done
path_there "set-ttl=61"
probe --kind ud --count 20 10.0.0.2
holds "three hops" <<< 'TTL: p["ttl"] == 61'
calm

echo "== a path MTU black hole"
path_there "len=1500- drop"
probe --kind ud --count 20 10.0.0.2
exits 0 "small ones pass"
probe --kind ud --count 20 --mtu-sweep 10.0.0.2
exits 1 "large ones do not"
holds "large ones do not" <<'END'
small ones still pass: p["lost"] == 0
the largest that passes: 1024 in numbers(p["mtu"])
END
calm

echo "== one bad path of four"
"$roceready" probe --format json --kind ud --paths 4 --count 2000 10.0.0.2 > "$report" 2> /tmp/probe.err &
prober=$!
queue_pairs() { rdma resource show qp link rxe0 type UD 2> /dev/null | grep -o 'lqpn [0-9]*' | awk '{print $2}' | sort -n; }
lab_check "its queue pairs" lab_poll 30 bash -c "rdma resource show qp link rxe0 | grep -c 'type UD' | grep -q '^[4-9]'"
victim=$(queue_pairs | sed -n 3p || true)
path_there "sqp=${victim:-0} drop"
code=0
wait "$prober" || code=$?
exits 1 "one bad path"
holds "one bad path" <<END
one loses: len([x for x in p["paths"] if x["lost"] >= 5]) == 1
it is named: [x["source_qp"] for x in p["paths"] if x["lost"] >= 5] == [${victim:-0}]
the others do not: sum(x["lost"] for x in p["paths"] if x["source_qp"] != ${victim:-0}) == 0
END
calm

echo "== delay of the network, and of a host"
probe --kind ud --count 200 10.0.0.2
calm_rtt=$(number 'p["rtt_seconds"]["p50"]')
calm_late=$(number 'p["late"]')  # of 200: what this machine comes late to by itself
path_there "op=0x60/0xe0 delay=20000"
probe --kind ud --count 50 10.0.0.2
exits 0 "20 ms on the way"
holds "20 ms on the way" <<END
in the round trip: $calm_rtt + 0.018 < p["rtt_seconds"]["p50"] < 3 * $calm_rtt + 0.1
not in the responder: p["responder_delay_seconds"]["min"] < 0.010
END
calm
lab_on 2 'for i in 1 2 3 4 5 6; do (while :; do :; done) & done; hogs=$(jobs -p)'
probe --kind ud --count 200 10.0.0.2
lab_on 2 'for job in $hogs; do [ "$job" = "$responder" ] || kill "$job"; done' || true
exits 0 "a starved responder"
holds "a starved responder" <<END
host delay: p["responder_late"] > 0 and p["responder_delay_seconds"]["max"] > 0.002
not network, on the median: p["rtt_seconds"] is None or p["rtt_seconds"]["p50"] < 3 * $calm_rtt
not network, on the tail: p["rtt_seconds"] is None or p["rtt_seconds"]["p99"] < p["responder_delay_seconds"]["max"]
it is this machine's no less: p["late"] < p["sent"] / 10 + 2 * $calm_late
END

echo "== duplicated, out of order"
path_there "op=0x60/0xe0 pick=1/3 dup"
path_there "op=0x60/0xe0 pick=1/7 hold=1"
path_here "op=0x60/0xe0 pick=1/5 dup"
probe --kind ud --count 100 10.0.0.2
exits 0 "duplicates"
holds "duplicates" <<'END'
sent: p["sent"] == 100
none lost: p["lost"] == 0
END
calm

echo "== nobody there"
probe --count 5 10.0.0.2
calm_took=$took  # on a slow processor the program itself takes seconds
path_there "drop"
for kind in ud rc-write; do
    probe --kind "$kind" --count 5 10.0.0.2
    exits 2 "RDMA is dropped, HTTP answers, $kind"
    holds "RDMA is dropped, HTTP answers, $kind" <<'END'
all lost: p["lost"] == p["sent"] > 0
why: p["error"]
END
    lab_check_between "s until it says so" 0 $((15 + 3 * calm_took)) "$took"
done
calm
probe --count 5 10.0.0.2
exits 0 "and back"
lab_check "stopped" lab_on 2 'kill -STOP $responder'
probe --count 5 10.0.0.2
exits 2 "a responder that hangs"
lab_check_between "s until it says so" 0 $((30 + 3 * calm_took)) "$took"
lab_on 2 'kill -CONT $responder' || true
responder_dies
probe --count 5 10.0.0.2
exits 2 "no responder"
holds "no responder" <<< 'why: p["error"]'
lab_check "it starts again" responder_starts
probe --count 5 10.0.0.2
exits 0 "a new one"
probe --count 5 10.0.0.99 10.0.0.2
exits 2 "one of two peers"
holds "one of two peers" <<'END'
both are told: [x["peer"].split(":")[0] for x in r["peers"]] == ["10.0.0.99", "10.0.0.2"]
one has an error: [bool(x.get("error")) for x in r["peers"]] == [True, False]
END

echo "== the peer boots"
responder_dies
lab_on 2 'rmmod rr_testnic; lab_poll 20 test ! -e /sys/class/infiniband/rxe0; lossless_nic && lab_ipv6'
lab_check "it starts again" responder_starts
probe --count 20 10.0.0.2
exits 0 "a new device, with the old addresses and queue pair numbers"

echo "== GIDs"
index=$(lab_on 2 'lab_gid_index rxe0')
lab_on 2 'ip addr del 10.0.0.2/24 dev tn0; ip addr add 10.0.0.12/24 dev tn0; ip addr add 10.0.0.2/24 dev tn0
          lab_poll 20 bash -c "grep -l ffff:0a00:0002 /sys/class/infiniband/rxe0/ports/1/gids/*"'
lab_check_equal "the index of the peer's GID is another's now" "$index" "$(lab_on 2 'f=$(grep -l ffff:0a00:000c /sys/class/infiniband/rxe0/ports/1/gids/*); echo ${f##*/}')"
probe --count 20 10.0.0.2
exits 0 "it is found by its address"
lab_on 2 'ip addr del 10.0.0.12/24 dev tn0; ip addr replace 10.0.0.2/24 dev tn0'  # a secondary address goes with its primary one
ip -4 addr flush dev tn0
ip addr add 192.0.2.1/24 dev lo
probe --count 5 '[fd00::2]:9885'
exits 0 "IPv6 alone is enough for an IPv6 peer"
lab_check_equal "without an IPv4 address an IPv4 peer is not reached" 2 "$(probe --count 5 10.0.0.2; echo "$code")"
ip addr add 10.0.0.1/24 dev tn0
lab_poll 20 _lab_port_ready rxe0 0

echo "== bandwidth"
secret='printf "%s\n" "a secret that both of them share" > /tmp/secret; chmod 600 /tmp/secret'
eval "$secret"
lab_on 2 "$secret"
probe --kind bandwidth 10.0.0.2
exits 64 "bandwidth without a secret"
probe --kind bandwidth --secret-file /tmp/secret 10.0.0.2
exits 3 "bandwidth of a peer without a secret"
holds "bandwidth of a peer without a secret" <<< 'why: "shared secret" in p["error"]'
responder_dies
lab_check "it starts with a secret" responder_starts --secret-file /tmp/secret
probe --kind bandwidth --seconds 1 --secret-file /tmp/secret 10.0.0.2
exits 3 "bandwidth of software RDMA is not judged"
holds "bandwidth" <<'END'
a megabyte at least: int(p["bandwidth"]["bytes"]) > 1000000
its time: p["bandwidth"]["seconds"] > 0.5
as a rate: p["bandwidth"]["bits_per_second"] > 0
all completed: p["sent"] > 0 and p["lost"] == 0
not judged: p["judgement"]["outcome"] == "not_applicable" and "software RDMA" in p["judgement"]["detail"]
no error: not p.get("error")
END
probe --kind loopback --seconds 1
exits 3 "loopback of software RDMA is not judged"
holds "loopback" <<'END'
a megabyte at least: int(p["bandwidth"]["bytes"]) > 1000000
no peer: p["peer"] is None
not judged: p["judgement"]["outcome"] == "not_applicable"
no error: not p.get("error")
END
responder_dies
lab_check "it starts without the secret again" responder_starts

echo "== ports that go away"
lab_on 2 'lab_knob link 0'
probe --count 5 10.0.0.2
exits 2 "the peer's link is down"
lab_on 2 'lab_knob link 1; lab_poll 20 _lab_port_ready rxe0 0'
"$roceready" probe --format json --kind ud --count 1000000 10.0.0.2 > "$report" 2> /tmp/probe.err &
prober=$!
lab_check "it probes" lab_poll 30 bash -c "rdma resource show qp link rxe0 | grep -q 'type UD'"
begin=$(date +%s%N)
rdma link show > /dev/null
asking=$((($(date +%s%N) - begin) / 1000000))  # what the tool itself takes here, on a slow processor beside a busy prober
begin=$(date +%s%N)
timeout 60 rdma link del rxe0 || true
code=0
wait "$prober" || code=$?
lab_check "a device that goes is not success" test "$code" -ne 0
lab_check_between "ms until the probe ends and the device may go" 0 $((2000 + 5 * asking)) $((($(date +%s%N) - begin) / 1000000))
holds "a device that goes" <<< 'why: "removed while probing" in p["error"]'
lab_check "the device is gone" lab_poll 20 test ! -e /sys/class/infiniband/rxe0
probe --count 5 10.0.0.2
exits 3 "no RDMA device"
lab_check_shows "it says so" '[Dd]evice' cat /tmp/probe.err "$report"
probe --kind ping 10.0.0.2
exits 64 "wrong kind"
probe
exits 64 "no peer"
lab_done
