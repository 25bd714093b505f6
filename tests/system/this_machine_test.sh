#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On the machine that runs the tests, whatever it has: a plain answer, no crash, the right exit code.  this_machine_test.sh PROGRAM
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

code=0
"$program" diagnose --window 200ms --interval 100ms > "$work/text" 2> "$work/err" || code=$?
cat "$work/text"
if compgen -G '/sys/class/infiniband/*' > /dev/null; then
  [ "$code" -le 3 ] || fail "exit code $code"
else
  [ "$code" = 3 ] || fail "a machine without RDMA gives exit code $code, not 3"
  grep -q 'NOT APPLICABLE' "$work/text" || fail "it does not say that RoCE does not apply"
  grep -qi 'no RDMA' "$work/text" || fail "it does not say plainly that there is no RDMA"
  "$program" diagnose --window 200ms --interval 100ms --format json 2> /dev/null > "$work/json" || true
  python3 -I -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["verdict"] == "not_applicable" and r["score"] is None, r["verdict"]' "$work/json"
fi

usage() { # WHAT EXPECTED-TEXT COMMAND…
  local what=$1 text=$2 rc=0
  shift 2
  "$program" "$@" > "$work/out" 2>&1 || rc=$?
  [ "$rc" = 64 ] || fail "$what: exit code $rc, not 64"
  grep -q -- "$text" "$work/out" || { cat "$work/out"; fail "$what: does not say '$text'"; }
}
usage "unknown command" "diagnose" diagnoze
usage "unknown option" "--window" diagnose --windw 2s
usage "bad duration" "2s" diagnose --window banana
usage "a window without two samples" "1 s" diagnose --window 200ms
usage "no window at all" "at least" diagnose --window 0s
usage "unknown profile" "nvidia-lossless" diagnose --profile nvidia-losless
usage "unknown rule" "pfc-disabled" explain pfc-disable
rc=0
"$program" diagnose --host "$work/nothing" > "$work/out" 2>&1 || rc=$?
[ "$rc" = 74 ] || fail "a recorded host that is not there: exit code $rc, not 74"
grep -q "$work/nothing" "$work/out" || fail "the error does not name the directory"
if [ -e /dev/full ]; then
  rc=0
  "$program" rules > /dev/full 2> /dev/null || rc=$?
  [ "$rc" = 74 ] || fail "a full disk: exit code $rc, not 74"
fi
echo "all good"
