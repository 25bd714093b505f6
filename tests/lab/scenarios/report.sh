# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scenarios: takes the program's reports in the machine and reads them.  . "$(dirname "$0")/report.sh" PROGRAM

. "$LAB_DIR/guest/lib.sh"
roceready=$1
report=/tmp/report.json

# lossless NETDEV: PFC on priority 3, in a receive buffer of its own, as mlx5 does it by itself.
lossless() {
    dcb pfc set dev "$1" prio-pfc 3:on
    dcb buffer set dev "$1" prio-buffer 3:1 buffer-size 0:131072 1:262144
}

# lossless_nic [driver parameters…]: tn0 and rxe0, set up as profile nvidia-lossless wants it.
lossless_nic() {
    lab_nic "$@"
    lossless tn0
}

# take [diagnose arguments…]: one report as JSON in $report; its exit code in $code.
take() {
    code=0
    "$roceready" diagnose --format json "$@" > "$report" 2> /tmp/report.err || code=$?
}

# ask PYTHON: an expression over the report `r`, with helpers: ids(), finding(id), port(), severity(id), first().
ask() {
    python3 -I -c '
import json, sys
r = json.load(open(sys.argv[1]))
def ids(): return sorted({f["id"] for f in r["findings"] if f["severity"] != "info"})
def finding(i): return next((f for f in r["findings"] if f["id"] == i), None)
def severity(i): return (finding(i) or {}).get("severity")
def first(): return r["causes"][0]["id"] if r["causes"] else None
def port(): return next(p for p in r["ports"] if p["in_scope"])
def unknown(): return sorted({u["rule"] for u in r["unknown"] if u["rule"]})
def unlooked(): return sorted({u["rule"] for u in r["not_looked_at"] if u["rule"]})
value = eval(sys.argv[2])
print(value if isinstance(value, str) else json.dumps(value))' "$report" "$1"
}

# expect WHAT WANTED PYTHON
expect() {
    local got
    got=$(ask "$3" 2>&1) || true
    lab_check_equal "$1" "$2" "$got"
    [ "$got" = "$2" ] || sed 's/^/    | /' /tmp/report.err | tail -n 5
}

# keep NAME: leaves the report with the results.
keep() { cp "$report" "$LAB_OUT/$1.json"; }
