#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real daemon on a recorded host: service manager, HTTP, metrics, reload, gates, end.

usage: daemon_test.py PROGRAM HOST_DIR
"""
import json
import os
import pathlib
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

PROGRAM = sys.argv[1] if len(sys.argv) > 2 else ""
HOST = sys.argv[2] if len(sys.argv) > 2 else ""
EXIT = {"ready": 0, "degraded": 1, "not_ready": 2}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp())
        cls.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        cls.notify.bind(str(cls.directory / "notify"))
        cls.notify.settimeout(20)
        cls.port = free_port()
        cls.config = cls.directory / "roceready.yaml"
        cls.write_config("")
        cls.log = open(cls.directory / "log", "w")
        cls.process = subprocess.Popen(
            [PROGRAM, "daemon", "--host", HOST, "--config", str(cls.config)],
            env={**os.environ, "NOTIFY_SOCKET": str(cls.directory / "notify")}, stderr=cls.log)
        cls.first = cls.notify.recv(4096).decode()

    @classmethod
    def tearDownClass(cls):
        if cls.process.poll() is None:
            cls.process.kill()
        cls.process.wait()
        cls.log.close()
        cls.notify.close()
        shutil.rmtree(cls.directory)

    @classmethod
    def write_config(cls, more):
        cls.config.write_text(f'http:\n  listen: "127.0.0.1:{cls.port}"\n{more}')

    def get(self, path, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def test_1_says_ready_after_the_first_report(self):
        self.assertIn("READY=1", self.first)
        self.assertEqual(self.get("/readyz")[0], 200)
        self.assertEqual(self.get("/healthz")[0], 200)

    def test_2_metrics_are_clean(self):
        status, body, _ = self.get("/metrics")
        self.assertEqual(status, 200)
        if shutil.which("promtool"):
            lint = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True)
            self.assertEqual((lint.returncode, lint.stdout + lint.stderr), (0, b""))
        by_port = {}
        for line in body.decode().splitlines():
            if line.startswith("#") or 'device="' not in line:
                continue
            labels = line[line.index("{"):line.index("}")]
            key = ",".join(part for part in labels.split(",") if part.lstrip("{").startswith(("device=", "port=")))
            by_port[key] = by_port.get(key, 0) + 1
        for key, count in by_port.items():
            self.assertLessEqual(count, 300, key)

    def test_3_a_gate_gets_the_exit_code_of_the_verdict(self):
        url = f"--daemon=http://127.0.0.1:{self.port}"
        report = json.loads(self.get("/diagnose")[1])
        for form in ("json", "text"):
            gate = subprocess.run([PROGRAM, "diagnose", url, "--format", form], capture_output=True)
            self.assertEqual(gate.returncode, EXIT.get(report["verdict"], 3), gate.stderr)
            self.assertTrue(gate.stdout)
        self.assertEqual(subprocess.run([PROGRAM, "diagnose", url, "--port", "none_7"], capture_output=True).returncode, 64)

    def test_4_a_second_daemon_is_refused_the_port(self):
        second = subprocess.run([PROGRAM, "daemon", "--host", HOST, "--listen", f"127.0.0.1:{self.port}"], capture_output=True, timeout=20)
        self.assertEqual(second.returncode, 74)
        self.assertIn(str(self.port), second.stderr.decode())

    def reload_and_wait(self, success):
        self.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            view = json.loads(self.get("/api/v1/config")[1])
            if view["reload_success"] == success:
                return view
            time.sleep(0.05)
        self.fail("the reload was not seen")

    def test_5_a_bad_file_keeps_the_old_configuration(self):
        self.write_config("nonsense: 1\n")
        view = self.reload_and_wait(False)
        self.assertIn("nonsense", json.dumps(view["problems"]))
        self.assertEqual(self.get("/healthz")[0], 200)
        self.write_config("")
        self.assertEqual(self.reload_and_wait(True)["problems"], [])

    def test_6_errors_are_problems(self):
        status, body, headers = self.get("/nothing")
        self.assertEqual((status, headers["Content-Type"]), (404, "application/problem+json"))
        self.assertIn("/metrics", json.loads(body)["detail"])

    def test_7_ends_within_a_second(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(10), 0)
        self.assertLess(time.monotonic() - begin, 1.0 if not os.environ.get("SLOW_MACHINE") else 5.0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
