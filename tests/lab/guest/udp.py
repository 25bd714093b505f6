#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbered datagrams between two machines, to see what became of them on the way.

udp.py send FIFO     does what each line of FIFO says: ADDRESS COUNT [--size N] [--tos N] [--sport N] [--every MS] [--op N]
                     [--qp N] [--sqp N]: so many to port 5000, and one to port 5001 that says that these were all
udp.py receive FILE  writes a line `number tos ttl size sport ms` for each, ms: on the way, by the first one's time; one that
                     says that these were all is the line `end`

A datagram begins as a base transport header does: opcode, flags, P_Key, destination QP, and then as a datagram header: Q_Key, source
QP; then come its number and time.
"""

import argparse
import select
import socket
import struct
import sys
import time

HEADER = struct.Struct("!BBHIIIIIQ")  # 12 bytes of BTH, of which the last four are the number; Q_Key, source QP; number, ns
DATA, END = 5000, 5001
IP_RECVTTL = 12


def send_one(o: argparse.Namespace) -> None:
    v6 = ":" in o.address
    with socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM) as s:
        level, option = (socket.IPPROTO_IPV6, socket.IPV6_TCLASS) if v6 else (socket.IPPROTO_IP, socket.IP_TOS)
        s.setsockopt(level, option, o.tos)
        if o.sport:
            s.bind(("::" if v6 else "0.0.0.0", o.sport))
        for n in range(o.count):
            head = HEADER.pack(o.op, 0, 0xFFFF, o.qp, n, 0, o.sqp, n, time.monotonic_ns())
            s.sendto(head.ljust(o.size, b"\0"), (o.address, DATA))
            time.sleep(o.every / 1000)
        s.setsockopt(level, option, 0)
        s.sendto(bytes(HEADER.size), (o.address, END))


def send(fifo: str) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("count", type=int)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--tos", type=int, default=0)
    parser.add_argument("--sport", type=int, default=0)
    parser.add_argument("--every", type=float, default=2)
    parser.add_argument("--op", type=lambda t: int(t, 0), default=0x64)
    parser.add_argument("--qp", type=int, default=17)
    parser.add_argument("--sqp", type=int, default=17)
    while True:
        with open(fifo) as lines:
            for line in lines:
                send_one(parser.parse_args(line.split()))


def listen(v6: bool, port: int) -> socket.socket:
    s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    if v6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
    else:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        s.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
    s.bind(("::" if v6 else "0.0.0.0", port))
    return s


def receive(file: str) -> None:
    # The end is looked at last, so that it comes after what came before it.
    ports = [(v6, port, listen(v6, port)) for port in (DATA, END) for v6 in (False, True)]
    offset = None
    with open(file, "a") as out:
        print("listening", flush=True)
        while True:
            ready = select.select([s for _, _, s in ports], [], [])[0]
            v6, port, s = next(p for p in ports if p[2] in ready)
            data, control, _, peer = s.recvmsg(10000, 128)
            now = time.monotonic_ns()
            if port == END:
                print("end", file=out, flush=True)
                continue
            number, sent = HEADER.unpack_from(data)[7:]
            if offset is None:
                offset = now - sent
            # IP_TOS comes as one byte, the others as int.
            values = {kind: int.from_bytes(value, sys.byteorder) for _, kind, value in control}
            tos = values.get(socket.IPV6_TCLASS if v6 else socket.IP_TOS)
            ttl = values.get(socket.IPV6_HOPLIMIT if v6 else socket.IP_TTL)
            print(number, tos, ttl, len(data), peer[1], (now - sent - offset) // 1000000, file=out, flush=True)


if __name__ == "__main__":
    {"send": send, "receive": receive}[sys.argv[1]](sys.argv[2])
