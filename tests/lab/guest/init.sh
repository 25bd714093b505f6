# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# First program of a machine, sourced by the start file that tests/lab/run writes; "$@" is the script to run.
# It is process 1: it must not end, and it must write an exit code whatever happens to the script.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb
unset LC_ALL LANGUAGE

hostname "lab$LAB_ID" 2>/dev/null || echo "lab$LAB_ID" > /proc/sys/kernel/hostname
mkdir -p /lib/modules /dev/pts /dev/shm /run/lock
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr
mount --bind "$LAB_MODULES" /lib/modules
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup
modprobe -q configfs && mount -t configfs configfs /sys/kernel/config
ip link set lo up
echo 1 > "$LAB_OUT/machine$LAB_ID.booted"

cd "$LAB_CWD" 2>/dev/null || cd /
if [ -x "$1" ]; then
    "$@" < /dev/null >> "$LAB_OUT/machine$LAB_ID.out" 2>&1
else
    bash "$@" < /dev/null >> "$LAB_OUT/machine$LAB_ID.out" 2>&1
fi
echo $? > "$LAB_OUT/machine$LAB_ID.rc"
echo o > /proc/sysrq-trigger
# Programs may be out of reach by now: wait without one.
while :; do read -rt 60 _ <> <(:); done
