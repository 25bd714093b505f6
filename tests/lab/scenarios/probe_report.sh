# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scenarios of probes: takes the program's probe results and reads them.  . "$(dirname "$0")/probe_report.sh" PROGRAM
# Machine 1 probes and drives, the others run tests/lab/follow.sh.

. "$(dirname "$0")/report.sh"

# shellcheck disable=SC2034,SC2154
# probe ARGUMENT...: probes now; JSON in $report, exit code in $code, seconds that it took in $took.
probe() {
    local begin=$SECONDS
    code=0
    timeout 120 "$roceready" probe --format json "$@" > "$report" 2> /tmp/probe.err || code=$?
    took=$((SECONDS - begin))
}

# exits WANTED WHAT
exits() {
    lab_check_equal "$2: exit code" "$1" "$code"
    [ "$code" = "$1" ] || sed 's/^/    | /' /tmp/probe.err | tail -n 5
}

# holds NAME: every line `WHAT: PYTHON` of stdin is true of the report r and its first peer p. One interpreter for all:
# it takes seconds to start on an emulated processor.
holds() {
    local result
    result=$(python3 -I -c '
import json, sys
name, file = sys.argv[1:]
def numbers(v):
    if isinstance(v, dict): v = list(v.values())
    return set().union(*map(numbers, v)) if isinstance(v, list) else {v} if isinstance(v, (int, float)) else set()
names = {"numbers": numbers, "p": {}}
try:
    names["r"] = r = json.load(open(file))
    names["p"] = (r.get("peers") or [{}])[0]
except Exception as error: print(f"FAIL: {name}: no report: {error!r}")
bad = False
for line in sys.stdin:
    what, _, test = line.strip().partition(": ")
    if not what: continue
    try: good, why = eval(test, names), ""
    except Exception as error: good, why = False, f" ({error!r})"
    bad |= not good
    print(f"ok: {name}: {what}" if good else f"FAIL: {name}: {what}: not {test}{why}")
if bad: print("    | " + json.dumps(names["p"])[:2000])' "$1" "$report" 2>&1)
    printf '%s\n' "$result"
    LAB_CHECKS=$((LAB_CHECKS + $(grep -c '^ok\|^FAIL' <<< "$result" || true)))
    LAB_FAILED=$((LAB_FAILED + $(grep -c '^FAIL' <<< "$result" || true)))
}

# number PYTHON: of the report r and its first peer p, for a later comparison
number() {
    python3 -I -c '
import json, sys
r = json.load(open(sys.argv[1])); p = r["peers"][0]
print(eval(sys.argv[2]))' "$report" "$1" 2> /dev/null || echo 0
}

# path_there RULE: for frames on the way to machine 2; path_here: back to this one. calm ends all.
path_there() { lab_on 2 "lab_path '$1'"; }
path_here() { lab_path "$1"; }
calm() {
    lab_path clear
    lab_on 2 'lab_path clear'
}

# both_up [MACHINE...]: this machine and those have a lossless port with IPv4 and IPv6 addresses.
both_up() {
    local m
    lossless_nic
    lab_ipv6
    for m in "${@:-2}"; do
        lab_on "$m" "set -- '$roceready'; . '$(dirname "$0")/report.sh'; lossless_nic && lab_ipv6" || lab_die "machine $m has no port"
    done
}
