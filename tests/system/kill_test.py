#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon that is killed again and again: what it knew of an incident neither ends, repeats nor vanishes.

usage: kill_test.py PROGRAM

It reads this machine, whatever that has: a port that the configuration expects and that no machine has is the incident.
"""
import json
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ""
ROUNDS = 8
MISSING = "no_such_device0"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Killed(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.config = self.directory / "roceready.yaml"
        self.state = self.directory / "state"
        self.state.mkdir()
        self.random = random.Random(7)
        self.process = None
        self.addCleanup(self.kill)

    def start(self):
        self.port = free_port()
        self.config.write_text(f'http:\n  listen: "127.0.0.1:{self.port}"\nstate:\n  directory: {self.state}\n'
                               f'profile: nvidia-lossless\nports:\n  expected: [{MISSING}]\n')
        self.process = subprocess.Popen([PROGRAM, "daemon", "--config", str(self.config)], stderr=subprocess.DEVNULL)

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return json.load(answer)

    def incidents(self):
        """Those about the missing port, once the daemon answers."""
        for _ in range(300):
            self.assertIsNone(self.process.poll(), "the daemon ended by itself")
            try:
                found = [one for one in self.get("/api/v1/incidents")["incidents"] if MISSING in json.dumps(one)]
                if found:
                    return found
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.1)
        self.fail("no incident about the missing port")

    def test_one_incident_stays_one(self):
        self.start()
        first = self.incidents()
        self.assertEqual(len(first), 1)
        time.sleep(2)  # what was not yet on the disk when the process dies is nobody's memory
        for _ in range(ROUNDS):
            self.kill()
            self.start()
            time.sleep(self.random.uniform(0.02, 1.2))
        self.kill()
        self.start()
        last = self.incidents()
        self.assertEqual([(one["id"], one["begin"], one["end"]) for one in last],
                         [(one["id"], one["begin"], None) for one in first])
        self.assertEqual([path.name for path in self.state.iterdir() if "damaged" in path.name or "newer" in path.name],
                         [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
