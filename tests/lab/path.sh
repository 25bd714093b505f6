#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lab proves the rules of `path`: datagrams and RoCE from the second machine, what became of them at the first.
#   tests/lab/run --machines 2 tests/lab/path.sh tests/lab/follow.sh
# shellcheck disable=SC2016,SC2119
set -euo pipefail
. "$LAB_DIR/guest/lib.sh"

udp=$LAB_DIR/guest/udp.py
got=/tmp/received

lab_nic
lab_ipv6
lab_check "the other machine" lab_on 2 'lab_nic && lab_ipv6'
lab_check "IPv4" lab_on 2 'ping -c 1 -W 5 10.0.0.1'
lab_check "IPv6" lab_on 2 'ping -c 1 -W 5 fd00::1'

python3 "$udp" receive "$got.all" > /tmp/receive.log 2>&1 &
lab_on 2 "mkfifo /tmp/send; python3 '$udp' send /tmp/send > /tmp/send.log 2>&1 &"
lab_poll 60 grep -q listening /tmp/receive.log

# arrive FAMILY COUNT [options of udp.py]: so many datagrams to port 5000; those that came are lines of $got.
arrive() {
    local address=10.0.0.1 family=$1 count=$2
    shift 2
    [ "$family" = 4 ] || address=fd00::1
    : > "$got.all"
    lab_on 2 "echo '$address $count $*' > /tmp/send"
    lab_poll 60 grep -qx end "$got.all" || { lab_on 2 'cat /tmp/send.log'; cat /tmp/receive.log; lab_die "datagrams did not come"; }
    sleep "${settle:-0}"
    sed '/^end$/d' "$got.all" > "$got"
}
numbers() { cut -d' ' -f1 "$got" | paste -sd' '; }
column() { cut -d' ' -f"$1" "$got" | sort -un | paste -sd' '; }
# rules RULE...: these and no others, for port 5000
rules() {
    local r
    lab_path clear
    for r in "$@"; do lab_path "udp=5000 $r"; done
}

echo "== text"
for junk in "" "drop=1" "dscp=64 drop" "dscp=26" "pick=0/4 drop" "pick=5/4 drop" "pick=1 drop" "len=9-3 drop" "len=70000 drop" \
    "sport=0x10000 drop" "sport=0xff/0xf0 drop" "op=1/0 drop" "src=10.0.0 drop" "src=10.0.0.1x drop" "ip=5 drop" "set-ecn=4" \
    "delay=60000001" "hold=5000" "limit=0 drop" "fly" "udp=5000" $'dr\x01op' "$(printf 'drop %.0s' {1..50})"; do
    lab_check_fails "no rule: ${junk:0:20}" lab_path "$junk"
done
for n in 1 16 127 159 160 5000; do head -c "$n" /dev/urandom > /sys/kernel/debug/rr_testnic/tn0/path 2> /dev/null || true; done
lab_check_hides "nothing is left of it" '^rule' cat /sys/kernel/debug/rr_testnic/tn0/path
for ((i = 0; i < 16; i++)); do lab_path "udp=9 drop"; done
lab_check_fails "a 17th rule" lab_path "udp=9 drop"

echo "== no rule"
rules
arrive 4 20 --tos 106
lab_check_equal "all come, in order" "$(seq -s' ' 0 19)" "$(numbers)"
lab_check_equal "with their ToS" 106 "$(column 2)"

echo "== drop"
rules "pick=1/4 drop"
arrive 4 20
lab_check_equal "every fourth is lost" "0 1 2 4 5 6 8 9 10 12 13 14 16 17 18" "$(numbers)"
lab_check_equal "the rule matched all" 20 "$(lab_path_rule 1 matched)"
lab_check_equal "and acted on those" 5 "$(lab_path_rule 1 "done")"
lab_check_equal "total" 5 "$(lab_path_total dropped)"
rules "limit=2 drop"
arrive 6 6
lab_check_equal "the first two, IPv6" "2 3 4 5" "$(numbers)"
rules "pick=2/5 drop"
arrive 4 10
lab_check_equal "two of five, spread" "0 1 3 5 6 8" "$(numbers)"
before=$(lab_stat rx_packets_phy)
rules "drop"
arrive 4 10
lab_check_between "the port never counted them" 0 9 $(($(lab_stat rx_packets_phy) - before))

echo "== match"
# 0 of 3 come if the rule matches, 3 if not: WANTED RULE [send's options]
matches() {
    local wanted=$1 rule=$2
    shift 2
    rules "$rule drop"
    arrive "${family:-4}" 3 "$@"
    lab_check_equal "$rule, sent $*" "$wanted" "$(wc -l < "$got")"
}
matches 0 "dscp=26" --tos 106
matches 3 "dscp=26" --tos 96
matches 0 "ecn=2" --tos 106
matches 3 "ecn=2" --tos 107
matches 0 "sport=40001" --sport 40001
matches 3 "sport=40001" --sport 40002
matches 0 "sport=0x2/0x3" --sport 40002
matches 3 "sport=0x2/0x3" --sport 40004
matches 0 "len=1028-" --size 1000
matches 3 "len=1029-" --size 1000
matches 0 "len=100-1028" --size 1000
matches 3 "len=100-1027" --size 1000
matches 0 "op=0x60/0xe0" --op 0x64
matches 3 "op=0x60/0xe0" --op 0x04
matches 0 "qp=4660" --qp 4660
matches 3 "qp=4660" --qp 4661
matches 0 "sqp=4660" --sqp 4660
matches 3 "sqp=4660" --sqp 4661
matches 3 "sqp=4660" --sqp 4660 --op 4
matches 0 "src=10.0.0.2"
matches 3 "src=10.0.0.3"
matches 0 "ip=4"
matches 3 "ip=6"
family=6
matches 0 "ip=6"
matches 3 "ip=4"
matches 0 "dscp=26 ecn=2 sport=40001 len=548 src=fd00::2 qp=9 op=0x64" --tos 106 --sport 40001 --size 500 --qp 9
matches 3 "src=fd00::3"
family=4
rules
lab_path "drop"
arrive 4 3
lab_check_equal "without udp= a rule is for port 4791" 3 "$(wc -l < "$got")"
lab_path clear
lab_path "udp=0 len=1000- drop"
lab_check_fails "udp=0 is every IP packet" lab_on 2 'ping -c 1 -W 1 -s 1000 10.0.0.1'
lab_check "and no other" lab_on 2 'ping -c 1 -W 5 -s 900 10.0.0.1'

echo "== rewrite"
for family in 4 6; do
    rules "dscp=26 set-dscp=0"
    before=$(lab_stat rx_prio3_packets)
    arrive $family 3 --tos 106
    lab_check_equal "DSCP rewritten, ECN kept, IPv$family" 2 "$(column 2)"
    lab_check_equal "all come" 3 "$(wc -l < "$got")"
    lab_check_equal "it is not in the class any more" "$before" "$(lab_stat rx_prio3_packets)"
    rules "set-ecn=3"
    arrive $family 3 --tos 106
    lab_check_equal "CE, DSCP kept, IPv$family" 107 "$(column 2)"
    rules "set-ecn=0"
    arrive $family 3 --tos 106
    lab_check_equal "bleached, IPv$family" 104 "$(column 2)"
    rules "set-ttl=61"
    arrive $family 3 --tos 106
    lab_check_equal "TTL, IPv$family" 61 "$(column 3)"
    lab_check_equal "ToS kept, IPv$family" 106 "$(column 2)"
    rules "set-dscp=10 set-ttl=3" "dscp=10 set-ecn=1"
    arrive $family 3 --tos 106
    lab_check_equal "a later rule sees what an earlier one wrote, IPv$family" 41 "$(column 2)"
    lab_check_equal "rewritten by each" 6 "$(lab_path_total rewritten)"
done
family=4

echo "== delay"
settle=0.5
rules "pick=1/5 delay=300000"
arrive 4 10 --every 10
lab_check_equal "none is lost, the slow ones are overtaken" "0 1 2 3 5 6 7 8 4 9" "$(numbers)"
lab_check_between "ms that number 4 took more than the fastest" 295 5000 "$(awk '
    NR == 1 || $6 < least { least = $6 }
    $1 == 4 { late = $6 }
    END { print late - least }' "$got")"
lab_check_equal "delayed" 2 "$(lab_path_total delayed)"
lab_check_equal "nothing waits any more" 0 "$(lab_path_total waiting)"
rules "delay=20000"
arrive 4 50 --every 0
lab_check_equal "the same delay for all keeps the order" "$(seq -s' ' 0 49)" "$(numbers)"
rules "delay=60000000"
settle=0 arrive 4 5000 --every 0
lab_check "so many may wait" lab_poll 20 grep -qx "waiting 4096" /sys/kernel/debug/rr_testnic/tn0/path
lab_check_between "the rest is lost and counted" 1 904 "$(lab_path_total overflow)"
lab_path clear
lab_check "clear lets them go" lab_poll 20 bash -c "grep -qx 'waiting 0' /sys/kernel/debug/rr_testnic/tn0/path"

echo "== duplicate, reorder"
rules "pick=1/3 dup"
arrive 4 6
lab_check_equal "every third comes twice" "0 1 2 2 3 4 5 5" "$(numbers)"
lab_check_equal "duplicated" 2 "$(lab_path_total duplicated)"
rules "pick=1/4 hold=2"
arrive 4 10
lab_check_equal "two others go first" "0 1 2 4 5 3 6 8 9 7" "$(numbers)"
rules "limit=1 hold=50"
arrive 4 3
lab_check_equal "one that nobody overtakes comes late" "1 2 0" "$(numbers)"
rules "limit=1 dup hold=1" "pick=1/2 set-dscp=1"
arrive 6 3
lab_check_equal "all at once" "1 0 0 2" "$(numbers)"

settle=0

echo "== RoCE"
# roce SERVER CLIENT: perftest here and there; the client's result in $result
roce() {
    local rc=0
    # shellcheck disable=SC2086
    timeout 100 $1 > /tmp/server 2>&1 &
    local server=$!
    lab_poll 30 bash -c "ss -ltn | grep -q :18515" || { cat /tmp/server; lab_die "$1 does not listen"; }
    result=$(lab_on 2 "timeout ${limit:-100} $2 10.0.0.1" 2>&1) || rc=$?
    # A server whose client has failed waits for ever.
    [ "$rc" = 0 ] || kill "$server"
    wait "$server" || rc=$?
    return "$rc"
}
gid=$(lab_gid_index rxe0)
gid6=$(lab_gid_index rxe0 6)
there=$(lab_on 2 'lab_gid_index rxe0')
there6=$(lab_on 2 'lab_gid_index rxe0 6')
ud="ib_send_lat -c UD -d rxe0 -n 100 -s 64"
write="ib_write_lat -d rxe0 -n 100 -s 64"
typical() { awk '$2 == 100 {print $5}' <<< "$result"; }
good() { # WHAT SERVER CLIENT
    local rc=0
    roce "$2" "$3" || rc=$?
    lab_check_equal "$1" 0 "$rc"
    [ "$rc" = 0 ] || { tail -n 5 /tmp/server; printf '%s\n' "$result" | tail -n 5; }
}

lab_path clear
good "UD" "$ud -x $gid" "$ud -x $there"
calm=$(typical)
lab_path "set-dscp=10 set-ecn=3 set-ttl=9"
good "UD, rewritten" "$ud -x $gid" "$ud -x $there"
lab_check_between "frames rewritten" 100 200 "$(lab_path_total rewritten)"
good "UD over IPv6, rewritten" "$ud -x $gid6" "$ud -x $there6"
lab_check_between "frames rewritten" 200 400 "$(lab_path_total rewritten)"
lab_path clear
lab_path "op=0x60/0xe0 delay=20000"
good "UD, delayed by 20 ms" "$ud -x $gid" "$ud -x $there"
lab_check_between "all are delayed" 100 200 "$(lab_path_total delayed)"
echo "half a round trip: $calm us, delayed $(typical) us"
# Only what comes here is delayed: half of it is in perftest's figure. How much more the host adds is not judged.
lab_check "half of it is in half of the round trip" awk -v d="$(typical)" 'BEGIN { exit !(d > 10000) }'
lab_path clear
lab_path "op=0/0xe0 pick=1/20 drop"
good "RC write, 5 % lost" "$write -x $gid" "$write -x $there"
lab_check_between "writes lost and sent again" 5 100 "$(lab_path_total dropped)"
lab_path clear
lab_path "op=0/0xe0 pick=1/20 dup"
lab_path "op=0/0xe0 pick=1/31 hold=1"
good "RC write, duplicated and reordered" "$write -x $gid" "$write -x $there"
lab_check_between "duplicated" 5 100 "$(lab_path_total duplicated)"
lab_path clear
lab_path "len=1500- drop"
good "small writes pass a path of MTU 1499" "$write -x $gid" "$write -x $there"
lab_check_equal "nothing lost" 0 "$(lab_path_total dropped)"
full="ib_write_lat -d rxe0 -n 10 -s 4096 -u 8"
rc=0
# Seven retries, perftest's number, are endless on rxe: the client has to be stopped.
limit=10 roce "$full -x $gid" "$full -x $there" || rc=$?
lab_check "full ones do not" test "$rc" -ne 0
lab_check_between "and are lost" 2 100000 "$(lab_path_total dropped)"
lab_path clear

echo "== the port goes away under RDMA"
ib_send_bw -c UD -d rxe0 -x "$gid" -D 60 > /tmp/server 2>&1 &
server=$!
lab_poll 30 bash -c "ss -ltn | grep -q :18515"
lab_on 2 "ib_send_bw -c UD -d rxe0 -x $there -D 60 10.0.0.1 > /dev/null 2>&1 & sender=\$!"
lab_path "delay=50000"
lab_check "frames wait" lab_poll 20 bash -c "! grep -qx 'waiting 0' /sys/kernel/debug/rr_testnic/tn0/path"
lab_knob gone 1
lab_check "netdev goes" lab_poll 30 test ! -e /sys/class/net/tn0
lab_check_fails "its path too" lab_path "drop"
kill "$server" 2> /dev/null || true
wait "$server" || true
lab_check "then its RDMA device" lab_poll 30 test ! -e /sys/class/infiniband/rxe0
lab_check "the module unloads" rmmod rr_testnic
lab_on 2 'kill $sender; wait $sender' || true
lab_nic
lab_check "and is back" lab_on 2 'ping -c 1 -W 5 10.0.0.1'
lab_done
