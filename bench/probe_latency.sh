#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Round trips that roceready finds beside those that perftest finds, in turns, between the same two machines in one run:
#   tests/lab/run --machines 2 --timeout 900 bench/probe_latency.sh tests/lab/follow.sh ROCEREADY [ROUNDS]
# perftest prints half a round trip; the ratio is rtt_seconds.p50 / (2 x its typical figure), the median of all rounds.
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

program=$1
rounds=${2:-5}
count=1000
size=64

lab_nic
lab_on 2 'lab_nic'
here=$(lab_gid_index rxe0)
there=$(lab_on 2 'lab_gid_index rxe0')
lab_on 2 "'$program' responder > /tmp/responder.log 2>&1 & lab_poll 30 bash -c 'ss -ltn | grep -q :9885'" ||
    lab_die "no responder: $(lab_on 2 'cat /tmp/responder.log')"

# theirs COMMAND: its typical latency in microseconds
theirs() {
    lab_on 2 "$1 -d rxe0 -x $there > /tmp/perftest.log 2>&1 &
              lab_poll 30 bash -c 'ss -ltn | grep -q :18515'" || lab_die "$1 does not listen"
    # shellcheck disable=SC2086
    timeout 120 $1 -d rxe0 -x "$here" 10.0.0.2 | awk -v n="$count" '$2 == n {print $5}'
}
# ours KIND: the p50 of its round trip in microseconds; nothing where probes were lost or could not be made
ours() {
    "$program" probe --kind "$1" --count "$count" --size "$size" --format json 10.0.0.2 > /tmp/ours.json || true
    python3 -I -c 'import json
p = json.load(open("/tmp/ours.json"))["peers"][0]
print("%.2f" % (1e6 * p["rtt_seconds"]["p50"])) if p["rtt_seconds"] else None' || true
}
median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

compare() { # KIND PERFTEST
    local i a b
    : > /tmp/ratios
    for ((i = 0; i < rounds; i++)); do
        # Taking turns in who goes first: a host that slows down hits both.
        if ((i % 2)); then b=$(ours "$1"); a=$(theirs "$2"); else a=$(theirs "$2"); b=$(ours "$1"); fi
        if [ -z "$a" ] || [ -z "$b" ]; then lab_die "$1: no figure: perftest '$a', roceready '$b' $(cat /tmp/ours.json)"; fi
        awk -v a="$a" -v b="$b" 'BEGIN {print b / (2 * a), 2 * a, b}' | tee -a /tmp/ratios |
            awk -v k="$1" '{printf "  %-9s perftest %9.2f us  roceready %9.2f us  ratio %5.2f\n", k, $2, $3, $1}'
    done
    printf '%-9s median ratio of %d rounds, %d probes of %d bytes each: %.2f\n' "$1" "$rounds" "$count" "$size" "$(median < /tmp/ratios)"
}

compare ud "ib_send_lat -c UD -n $count -s $size"
compare rc-write "ib_write_lat -n $count -s $size"
lab_done
