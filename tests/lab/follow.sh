#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A machine that does what the first one asks for (lab_on):  tests/lab/run --machines 2 FIRST tests/lab/follow.sh
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"
lab_follow
