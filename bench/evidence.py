#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a sosreport takes to be judged, and how much memory, beside grep over the same files.

usage: bench/evidence.py PROGRAM [MIB]     makes a sosreport of that size (default 200) in a temporary directory
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

WORDS = ("systemd kernel kubelet sshd session opened closed for user root started stopped unit service device port link "
         "eth0 docker container image pulled network policy applied cpu memory pressure node ready probe failed ok").split()


def fill(path, mib, line):
    with open(path, "w") as out:
        size = 0
        block = "".join(line(i) for i in range(20000))
        while size < mib * 1048576:
            out.write(block)
            size += len(block)


def sosreport(root, mib):
    rnd = random.Random(1)
    base = os.path.join(root, "sosreport-node17-2026-11-30-abcdefg")
    for folder in ("var/log", "sos_commands/networking", "sos_commands/process", "sos_commands/rpm", "sos_commands/infiniband"):
        os.makedirs(os.path.join(base, folder))

    def words(n):
        return " ".join(rnd.choice(WORDS) for _ in range(n))

    log = os.path.join(base, "var/log")
    fill(log + "/messages", mib * 0.5, lambda i: "Nov 30 %02d:%02d:%02d node17 %s[%d]: %s\n" % (
        i // 3600 % 24, i // 60 % 60, i % 60, rnd.choice(WORDS), rnd.randrange(99999), words(9)))
    fill(log + "/journal.txt", mib * 0.3, lambda i: "2026-11-30T%02d:%02d:%02d+0000 node17 %s: %s\n" % (
        i // 3600 % 24, i // 60 % 60, i % 60, rnd.choice(WORDS), words(9)))
    fill(log + "/dmesg", mib * 0.05, lambda i: "[%12.6f] %s: %s\n" % (i * 0.1, rnd.choice(WORDS), words(7)))
    fill(base + "/sos_commands/process/lsof", mib * 0.1, lambda i: "%-10s %7d root %4du REG 253,0 %9d %9d /usr/lib/%s\n" % (
        rnd.choice(WORDS), i, i % 999, rnd.randrange(1 << 30), rnd.randrange(1 << 30), "/".join(words(3).split())))
    fill(base + "/sos_commands/rpm/files", mib * 0.05, lambda i: "/usr/share/%s %s 0%d\n" % (
        "/".join(words(4).split()), words(2), i))
    net = base + "/sos_commands/networking"
    with open(net + "/ethtool_-S_eth0", "w") as out:
        out.write("NIC statistics:\n")
        for p in range(8):
            for name in ("rx_prio%d_pause", "tx_prio%d_pause", "rx_prio%d_bytes", "tx_prio%d_bytes"):
                out.write("     %s: %d\n" % (name % p, rnd.randrange(1 << 40)))
        for q in range(4000):
            out.write("     rx%d_packets: %d\n" % (q, rnd.randrange(1 << 40)))
    with open(net + "/ethtool_-i_eth0", "w") as out:
        out.write("driver: mlx5_core\nversion: 6.1\nfirmware-version: 22.41.1000\nbus-info: 0000:3b:00.0\n")
    with open(base + "/sos_commands/infiniband/rdma_link", "w") as out:
        out.write("link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n")
    return base


def run(command):
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out


def main():
    program, mib = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 200
    root = tempfile.mkdtemp(prefix="roceready-bench-")
    try:
        base = sosreport(root, mib)
        pattern = "mlx5|roce|pfc|prio[0-9]_|ECN|cnp|retry exceeded|GID|AER|IO_PAGE_FAULT"
        run(["grep", "-rcE", pattern, base])  # into the page cache
        wall, cpu, _, _ = run(["grep", "-rcE", pattern, base])
        print("  grep -rE over %.0f MiB       %6.2f s, %6.2f s CPU" % (mib, wall, cpu))
        ours_wall, ours_cpu, rss, out = run([program, "diagnose", "--evidence", base, "--profile", "nvidia-lossless"])
        if b"mlx5_0/1" not in out:
            sys.exit("  the sosreport was not understood:\n" + out.decode()[:2000])
        print("  diagnose --evidence          %6.2f s, %6.2f s CPU, %.0f MiB resident: %.1f times grep" % (
            ours_wall, ours_cpu, rss, ours_wall / max(wall, 1e-9)))
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
