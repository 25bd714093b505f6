#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records hosts in a virtual machine, replays them outside: the report must be the recording's own but for its source.

record_and_replay.py LAB_DIR OUT_DIR PROGRAM
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path


def differences(a: object, b: object, path: str = "") -> list[str]:
    """Paths at which two JSON values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        out = []
        for key in sorted(a.keys() | b.keys()):
            if key not in a or key not in b:
                out.append(f"{path}.{key}: only in one")
            else:
                out += differences(a[key], b[key], f"{path}.{key}")
        return out
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{path}[{i}]")]
    return [] if a == b else [f"{path}: {json.dumps(a)[:200]} != {json.dumps(b)[:200]}"]


def replay(program: str, host: Path, failures: list[str]) -> dict:
    done = subprocess.run([program, "diagnose", "--host", str(host), "--format", "json"], capture_output=True, text=True,
                          timeout=120, check=False)
    own = json.loads((host / "report.json").read_text())
    again = json.loads(done.stdout)
    if own["source"]["kind"] != "live" or again["source"]["kind"] != "recorded":
        failures.append(f"{host.name}: source kinds {own['source']} and {again['source']}")
    own.pop("source"), again.pop("source")
    failures += [f"{host.name}: {d}" for d in differences(own, again)]
    print(f"{host.name}: {again['verdict']}, exit code {done.returncode}, {len(json.dumps(again))} bytes of report")
    return again


def main() -> int:
    lab, out, program = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    shutil.rmtree(out, ignore_errors=True)
    ran = subprocess.run([lab / "run", "--timeout", "300", "--out", out, lab / "scenarios" / "record.sh", program], check=False)
    if ran.returncode != 0:
        return ran.returncode
    failures: list[str] = []
    healthy = replay(program, out / "healthy", failures)
    faulty = replay(program, out / "faulty", failures)
    refused = json.loads((out / "healthy" / "0000" / "refused.json").read_text())
    # The test NIC has no module, so its EEPROM is the one question that the kernel itself turns down.
    failures += [f"the kernel's answer was not taken: {key}" for key in refused
                 if key.startswith("netlink/") and not key.startswith("netlink/ethtool/module_eeprom/")]
    if json.loads((out / "healthy" / "host.json").read_text())["driver"] != "mlx5_core":
        failures.append("host.json does not name the driver")
    if healthy["verdict"] != "ready":
        failures.append(f"the healthy host is {healthy['verdict']}")
    if faulty["verdict"] != "not_ready" or faulty["causes"][0]["id"] != "pfc-disabled":
        failures.append(f"the faulty host is {faulty['verdict']}")
    (out / "damaged").mkdir()
    shutil.copytree(out / "healthy", out / "damaged", dirs_exist_ok=True)
    (out / "damaged" / "host.json").write_text("{\"layout\": ")
    damaged = subprocess.run([program, "diagnose", "--host", str(out / "damaged")], capture_output=True, text=True, check=False)
    if damaged.returncode != 74 or "host.json" not in damaged.stderr:
        failures.append(f"a damaged recording: exit code {damaged.returncode}, {damaged.stderr!r}")
    for failure in failures:
        print(f"FAIL: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
