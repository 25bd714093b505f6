#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Four rails: one on a slower switch is nobody's fault; of two at fault both are named and the others keep their verdict
# (machine with --nics 4).  rails.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"
lab_nic
for i in 0 1 2 3; do lossless "tn$i"; done
verdicts='[p["verdict"] for p in r["ports"] if p["in_scope"]]'

take --profile nvidia-lossless
expect "four ports are ready" '["ready", "ready", "ready", "ready"]' "$verdicts"
lab_check_equal "exit code" 0 "$code"

lab_knob speed 25000 tn2
take --profile nvidia-lossless
keep slow-rail
expect "one rail at a quarter of what the others have, whose other end offers no more" info 'severity("link-speed-low")'
expect "no rail is convicted for it" '["ready", "ready", "ready", "ready"]' "$verdicts"
lab_check_equal "exit code" 0 "$code"
lab_knob speed 100000 tn2

dcb pfc set dev tn1 prio-pfc 3:off
dcb pfc set dev tn3 prio-pfc 3:off
take --profile nvidia-lossless
keep two-rails
expect "both are named" '["pfc-disabled@rxe1/1", "pfc-disabled@rxe3/1"]' '[c["key"] for c in r["causes"]]'
rc=0
"$roceready" diagnose --profile nvidia-lossless || rc=$?
lab_check_equal "the text report has the same exit code" 2 "$rc"
take --profile nvidia-lossless --port rxe0
expect "a good rail alone is ready" ready 'r["verdict"]'
rc=0; "$roceready" diagnose --profile nvidia-lossless --port rxe9 > /dev/null 2>&1 || rc=$?
lab_check_equal "a port that is not there is wrong usage" 64 "$rc"

echo "== a port that should be there and is not; one that nobody may touch"
cat > /tmp/ports.yaml <<'CONFIG'
profile: nvidia-lossless
ports:
  expected: [rxe0, rxe7]
  exclude: [rxe1, rxe3]
CONFIG
take --config /tmp/ports.yaml
expect "a missing port is the first thing" host-rdma-driver-missing 'first()'
expect "an excluded one is not judged" '["ready", "ready"]' "$verdicts"
lab_done
