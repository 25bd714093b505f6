# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For scripts that run in a machine of tests/lab/run:  . "$LAB_DIR/guest/lib.sh"

LAB_FAILED=0
LAB_CHECKS=0

# lab_poll SECONDS COMMAND...: until it succeeds, at most that long.
lab_poll() {
    local end=$((SECONDS + $1))
    shift
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# dcb as the tool. iproute2 6.1 leaves the kernel's acknowledgement of one request unread, and where the next request of
# the same call is made in another second it takes that for a wrong answer ("Protocol error") before it was carried out.
dcb() {
    local tries=0 rc
    while :; do
        rc=0
        command dcb "$@" 2> /tmp/dcb.err || rc=$?
        tries=$((tries + 1))
        { [ "$rc" != 0 ] && [ "$tries" -lt 3 ] && grep -q 'Protocol error' /tmp/dcb.err; } || break
    done
    cat /tmp/dcb.err >&2
    return "$rc"
}

# lab_die TEXT...: the script cannot go on.
lab_die() {
    echo "FATAL: $*"
    exit 1
}

_lab_port_ready() {
    local port=/sys/class/infiniband/$1/ports/1 gid
    gid=$(printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' 10 0 "$2" "$LAB_ID")
    grep -q ACTIVE "$port/state" && grep -qx "$gid" "$port"/gids/*
}

# lab_modules: the kernel modules of virtio and software RDMA (rxe needs a crc32 shash, which nothing loads for it).
lab_modules() {
    modprobe -a virtio_net crc32_generic rdma_rxe ib_uverbs rdma_ucm || lab_die "modprobe failed"
}

# lab_driver [PARAMETER=VALUE...]: load rr_testnic over every virtio adapter: tn0, tn1 ...
lab_driver() {
    local i lower=eth0
    lab_poll 10 test -e "/sys/class/net/eth$((LAB_NICS - 1))" || lab_die "no eth$((LAB_NICS - 1))"
    for ((i = 0; i < LAB_NICS; i++)); do
        [ "$i" = 0 ] || lower+=,eth$i
        ip link set "eth$i" addrgenmode none
    done
    insmod "$LAB_DRIVER" "lower=$lower" "$@" || lab_die "insmod rr_testnic $* failed"
}

# lab_nic [PARAMETER=VALUE...]: tn0 up with 10.0.0.N/24 and rxe0 on it, ready for traffic; tn1 with 10.0.1.N/24 and so on.
# LAB_MTU: the MTU (4200).
lab_nic() {
    local i
    lab_modules
    lab_driver "$@"
    for ((i = 0; i < LAB_NICS; i++)); do
        ip link set "tn$i" mtu "${LAB_MTU:-4200}" up
        ip addr add "10.0.$i.$LAB_ID/24" dev "tn$i"
        rdma link add "rxe$i" type rxe netdev "tn$i" || lab_die "rdma link add rxe$i failed"
    done
    for ((i = 0; i < LAB_NICS; i++)); do
        lab_poll 20 _lab_port_ready "rxe$i" "$i" || lab_die "rxe$i did not become active with a GID of its IPv4 address"
    done
}

# lab_ipv6: after lab_nic; tn0 and rxe0 have fd00::N/64 too, tn1 and rxe1 fd00:0:0:1::N/64 and so on.
lab_ipv6() {
    local i
    for ((i = 0; i < LAB_NICS; i++)); do
        ip addr add "fd00:0:0:$i::$LAB_ID/64" dev "tn$i" nodad
        lab_poll 20 grep -q '^fd00:' "/sys/class/infiniband/rxe$i/ports/1/gids/"* || lab_die "rxe$i has no GID of its IPv6 address"
    done
}

# lab_gid_index DEVICE [6]: index of the GID of the device's IPv4 address, or of its routable IPv6 address, for ib_* -x.
lab_gid_index() {
    local f start=0000:0000:0000:0000:0000:ffff:
    [ "${2:-4}" = 4 ] || start=fd00:
    f=$(grep -l "^$start" "/sys/class/infiniband/$1/ports/1/gids/"* | head -n 1)
    echo "${f##*/}"
}

# lab_knob FILE VALUE [NETDEV]
lab_knob() {
    printf '%s\n' "$2" > "/sys/kernel/debug/rr_testnic/${3:-tn0}/$1"
}

# lab_path RULE [NETDEV]: one more rule for frames on their way to this port; "clear" ends all.
lab_path() { lab_knob path "$@"; }

# lab_path_rule N matched|done [NETDEV]: how many frames rule N matched or acted on.
lab_path_rule() {
    awk -v n="$1" -v what="$2" '$1 == "rule" && $2 == n { for (i = 3; i < 7; i += 2) if ($i == what) print $(i + 1) }' \
        "/sys/kernel/debug/rr_testnic/${3:-tn0}/path"
}

# lab_path_total dropped|rewritten|delayed|duplicated|held|overflow|waiting [NETDEV]
lab_path_total() {
    awk -v what="$1" '$1 == what { print $2 }' "/sys/kernel/debug/rr_testnic/${2:-tn0}/path"
}

# lab_stat NAME [NETDEV]: one number of ethtool -S; nothing, and failure, if it is not shown.
lab_stat() {
    ethtool -S "${2:-tn0}" | awk -v n="$1:" '$1 == n { print $2; found = 1 } END { exit !found }'
}

# lab_as USER COMMAND...: as an ordinary user, with that user's groups and without capabilities.
lab_as() {
    local user=$1
    shift
    setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups --inh-caps=-all -- "$@"
}

# lab_barrier NAME [SECONDS]: until all machines are there. Fails at once if one has ended.
lab_barrier() {
    local peer end=$((SECONDS + ${2:-120}))
    touch "$LAB_OUT/barrier.$1.$LAB_ID"
    for ((peer = 1; peer <= LAB_MACHINES; peer++)); do
        until [ -e "$LAB_OUT/barrier.$1.$peer" ]; do
            [ ! -e "$LAB_OUT/machine$peer.rc" ] || lab_die "machine $peer ended before barrier $1"
            [ "$SECONDS" -lt "$end" ] || lab_die "machine $peer did not come to barrier $1"
            sleep 0.1
        done
    done
}

# lab_follow: does what machine 1 asks for by lab_on, until that one has ended.
lab_follow() {
    local n=1 order rc
    while :; do
        order=$LAB_OUT/order.$LAB_ID.$n
        until [ -e "$order" ]; do
            [ ! -e "$LAB_OUT/machine1.rc" ] || exit 0
            sleep 0.05
        done
        rc=0
        eval "$(cat "$order")" > "$order.out" 2>&1 < /dev/null || rc=$?
        echo "$rc" > "$order.new"
        mv "$order.new" "$order.rc"
        n=$((n + 1))
    done
}

# lab_on MACHINE TEXT: bash there runs it, in the shell of its lab_follow: variables last, a job in the background goes on.
# Its output comes out here, its exit code is returned; 124 if it takes more than 120 s.
lab_on() {
    local count=/tmp/orders.$1 n order end=$((SECONDS + 120))
    n=$(($(cat "$count" 2> /dev/null || echo 0) + 1))
    echo "$n" > "$count"
    order=$LAB_OUT/order.$1.$n
    printf '%s\n' "$2" > "$order.new"
    mv "$order.new" "$order"
    until [ -e "$order.rc" ]; do
        [ ! -e "$LAB_OUT/machine$1.rc" ] || lab_die "machine $1 has ended before it did '$2'"
        [ "$SECONDS" -lt "$end" ] || return 124
        sleep 0.05
    done
    cat "$order.out"
    return "$(cat "$order.rc")"
}

_lab_result() { # GOOD WHAT WHY OUTPUT
    LAB_CHECKS=$((LAB_CHECKS + 1))
    if [ "$1" = yes ]; then
        echo "ok: $2"
    else
        LAB_FAILED=$((LAB_FAILED + 1))
        echo "FAIL: $2: $3"
        [ -z "$4" ] || printf '%s\n' "$4" | tail -n 40 | sed 's/^/    | /'
    fi
}

# The checks never end the script; lab_done does, with what they found.
# lab_check WHAT COMMAND...: it succeeds.
lab_check() {
    local what=$1 rc=0 out
    shift
    out=$("$@" 2>&1) || rc=$?
    _lab_result "$([ "$rc" = 0 ] && echo yes)" "$what" "\`$*\` gave $rc" "$out"
}

# lab_check_fails WHAT COMMAND...: it fails.
lab_check_fails() {
    local what=$1 rc=0 out
    shift
    out=$("$@" 2>&1) || rc=$?
    _lab_result "$([ "$rc" != 0 ] && echo yes)" "$what" "\`$*\` succeeded" "$out"
}

# lab_check_shows WHAT REGEX COMMAND...: its output, stderr too, has a line that matches; its exit code is not looked at.
lab_check_shows() {
    local what=$1 regex=$2 out
    shift 2
    out=$("$@" 2>&1) || true
    _lab_result "$(grep -Eqa -e "$regex" <<< "$out" && echo yes)" "$what" "no line of \`$*\` matches $regex" "$out"
}

# lab_check_hides WHAT REGEX COMMAND...: it succeeds and no line matches.
lab_check_hides() {
    local what=$1 regex=$2 rc=0 out
    shift 2
    out=$("$@" 2>&1) || rc=$?
    _lab_result "$([ "$rc" = 0 ] && ! grep -Eqa -e "$regex" <<< "$out" && echo yes)" \
        "$what" "\`$*\` gave $rc or has a line that matches $regex" "$out"
}

# lab_check_equal WHAT WANTED GOT
lab_check_equal() {
    _lab_result "$([ "$2" = "$3" ] && echo yes)" "$1" "wanted '$2', got '$3'" ""
}

# lab_check_between WHAT LOW HIGH GOT
lab_check_between() {
    local ok=no
    [[ $4 =~ ^[0-9]+$ ]] && [ "$4" -ge "$2" ] && [ "$4" -le "$3" ] && ok=yes
    _lab_result "$ok" "$1" "wanted $2 to $3, got '$4'" ""
}

# lab_done: ends the script; 1 if a check failed.
lab_done() {
    echo "$LAB_CHECKS checks, $LAB_FAILED failed"
    exit $((LAB_FAILED > 0))
}
