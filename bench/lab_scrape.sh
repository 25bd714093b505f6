#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs in a machine of tests/lab/run: CPU time per scrape of roceready and of node_exporter over the same ports, side by side.
#   lab_scrape.sh ROCEREADY [SECONDS]
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

program=$1
seconds=${2:-60}
node_exporter=$(command -v prometheus-node-exporter)

# User and system time of a process so far, in clock ticks. The name in parentheses may hold spaces.
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{print $12 + $13}'; }
scrape() { curl -fsS -o "$2" "http://127.0.0.1:$1/metrics"; }

lab_nic
for ((i = 0; i < LAB_NICS; i++)); do
    dcb app replace dev "tn$i" dscp-prio 26:3
    dcb pfc set dev "tn$i" prio-pfc 3:on
    for name in rx_prio3_bytes tx_prio3_bytes rx_bytes_phy tx_bytes_phy; do lab_knob rate "$name 22000000000" "tn$i"; done
done

work=$(mktemp -d)
printf 'profile: nvidia-lossless\n' > "$work/roceready.yaml"
"$program" daemon --config "$work/roceready.yaml" > "$work/roceready.log" 2>&1 &
ours=$!
"$node_exporter" --web.listen-address=127.0.0.1:9100 --collector.disable-defaults --collector.infiniband \
    --collector.ethtool --collector.ethtool.device-include='^tn' \
    --collector.netclass --collector.netclass.ignored-devices='^(lo|eth.*)$' > "$work/node_exporter.log" 2>&1 &
theirs=$!
lab_poll 60 scrape 9885 "$work/ours" || { tail -5 "$work/roceready.log"; lab_die "roceready serves no metrics"; }
lab_poll 60 scrape 9100 "$work/theirs" || { tail -5 "$work/node_exporter.log"; lab_die "node_exporter serves no metrics"; }
sleep 3

ours_begin=$(ticks "$ours") theirs_begin=$(ticks "$theirs") begin=$(date +%s%N)
for ((i = 0; i < seconds; i++)); do
    # Taking turns, a second each; whoever is slow shifts both.
    if ((i % 2)); then scrape 9885 "$work/ours" && scrape 9100 "$work/theirs"; else scrape 9100 "$work/theirs" && scrape 9885 "$work/ours"; fi
    next=$((begin + (i + 1) * 1000000000 - $(date +%s%N)))
    ((next <= 0)) || sleep "$(printf '%d.%09d' $((next / 1000000000)) $((next % 1000000000)))"
done
ours_end=$(ticks "$ours") theirs_end=$(ticks "$theirs") end=$(date +%s%N)

hertz=$(getconf CLK_TCK)
resident() { awk '/^VmRSS/ {printf "%.1f", $2 / 1024}' "/proc/$1/status"; }
awk -v o=$((ours_end - ours_begin)) -v t=$((theirs_end - theirs_begin)) -v n="$seconds" -v hz="$hertz" -v ports="$LAB_NICS" \
    -v wall=$(((end - begin) / 1000000)) -v om="$(resident "$ours")" -v tm="$(resident "$theirs")" \
    -v os="$(grep -vc '^#' "$work/ours")" -v ts="$(grep -vc '^#' "$work/theirs")" 'BEGIN {
    printf "%d ports, %d scrapes each in %.1f s\n", ports, n, wall / 1000
    printf "  roceready      %8.2f ms CPU a scrape (sampling and judging included), %d series, %s MiB\n", o * 1000 / hz / n, os, om
    printf "  node_exporter  %8.2f ms CPU a scrape, %d series, %s MiB\n", t * 1000 / hz / n, ts, tm
    if (t > 0) printf "  ratio          %8.2f\n", o / t
}'
kill "$ours" "$theirs"
lab_done
