#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records a healthy and a faulty host for replay outside (replay_test.sh).  record.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"
lossless_nic
lab_check "record" "$roceready" record "$LAB_OUT/healthy" --duration 3s --profile nvidia-lossless
dcb pfc set dev tn0 prio-pfc 3:off
lab_knob rate "rx_discards_phy 100"
lab_check "record with a fault" "$roceready" record "$LAB_OUT/faulty" --duration 3s --profile nvidia-lossless
rc=0; "$roceready" record "$LAB_OUT/faulty" --duration 1s > /tmp/again 2>&1 || rc=$?
lab_check_equal "it does not write over a recording" 64 "$rc"
lab_done
