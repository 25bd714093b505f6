#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the real tools print on a node, judged as files, against what the node itself says.  evidence.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"

lossless=(--profile nvidia-lossless)
files=$LAB_OUT/files

# collect DIR: what a person is asked for, one file a command.
collect() {
  local dir=$1
  mkdir -p "$dir"
  run() { echo "# $*"; "$@" 2>&1 || true; }
  run ethtool -S tn0 > "$dir/statistics.txt"
  run ethtool tn0 > "$dir/settings.txt"
  { run ethtool -i tn0; run ethtool -a tn0; run ethtool --show-fec tn0; run ethtool -g tn0; } > "$dir/driver.txt"
  { run dcb pfc show dev tn0; run dcb ets show dev tn0; run dcb app show dev tn0; run dcb buffer show dev tn0; run dcb dcbx show dev tn0; } > "$dir/dcb.txt"
  { run rdma link; run rdma statistic; run rdma dev; } > "$dir/rdma.txt"
  run ibv_devinfo -v > "$dir/devinfo.txt"
  { run ip -d link show; run ip addr show; run ip rule; } > "$dir/ip.txt"
  run lspci -vvv > "$dir/lspci.txt"
  { run cat /proc/cmdline; run bash -c 'ulimit -l'; run uname -a; } > "$dir/host.txt"
}

# compare NAME: rules that the live run finds as warning or critical and that the files speak of are found by the files, and the
# files find none beside them.
compare() {
  local name=$1
  rm -rf "$files"
  collect "$files"
  "$roceready" diagnose "${lossless[@]}" --format json > "$LAB_OUT/$name-live.json" || true
  "$roceready" diagnose "${lossless[@]}" --evidence "$files" --format json > "$LAB_OUT/$name-files.json" || true
  "$roceready" diagnose "${lossless[@]}" --evidence "$files" > "$LAB_OUT/$name-files.txt" || true
  cp -r "$files" "$LAB_OUT/$name-files"
  lab_check_equal "$name: the same findings" "" "$(python3 -I - "$LAB_OUT/$name-live.json" "$LAB_OUT/$name-files.json" <<'PY'
import json, sys
live, files = (json.load(open(path)) for path in sys.argv[1:3])
def told(report, *without):
    return {f["id"] for f in report["findings"] if f["severity"] not in without}
dark = {g["rule"] for part in ("unknown", "not_looked_at") for g in files[part]}
missing = told(live, "info") - told(files) - dark
# What the tools do not show may soften a finding on the node (a virtual machine, for one): there it is info.
print(" ".join(["lacks " + f for f in sorted(missing)] + ["invents " + f for f in sorted(told(files, "info") - told(live))]))
PY
)"
}

echo "== healthy"
lossless_nic
compare healthy
cat "$LAB_OUT/healthy-files.txt"
lab_check "files alone never make a port ready" python3 -I -c '
import json, sys
sys.exit(json.load(open(sys.argv[1]))["verdict"] == "ready")' "$LAB_OUT/healthy-files.json"

echo "== PFC off"
dcb pfc set dev tn0 prio-pfc 3:off
compare pfc-off
lab_check "PFC is found off by the files" grep -q 'pfc-disabled' "$LAB_OUT/pfc-off-files.json"
lab_check "with file and line" grep -qE 'dcb.txt:[0-9]+' "$LAB_OUT/pfc-off-files.json"
dcb pfc set dev tn0 prio-pfc 3:on

echo "== DSCP map"
dcb app replace dev tn0 dscp-prio 26:0
compare dscp-map
dcb app replace dev tn0 dscp-prio 26:3

echo "== two outputs, a storm between them"
rm -rf "$files"
mkdir -p "$files"
lab_knob set "tx_prio3_bytes 123456789000"
lab_knob rate "rx_prio3_pause_duration 999000"
lab_knob rate "rx_prio3_pause 9000"
lab_knob rate "tx_prio3_bytes 0"
collect "$files"
{ date +%s.%N; echo "# ethtool -S tn0"; ethtool -S tn0; } > "$files/statistics.txt"
sleep 5
{ date +%s.%N; echo "# ethtool -S tn0"; ethtool -S tn0; } >> "$files/statistics.txt"
"$roceready" diagnose "${lossless[@]}" --evidence "$files" --format json > "$LAB_OUT/storm-files.json" || true
cp -r "$files" "$LAB_OUT/storm-files"
lab_check "the storm is seen in two outputs" grep -qE '"id": "pfc-(storm-rx|rx-pause-high)"' "$LAB_OUT/storm-files.json"
lab_done
