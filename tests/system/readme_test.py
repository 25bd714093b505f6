#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report on the README's first screen is what the program prints.  readme_test.py PROGRAM SOURCE_DIR"""
import pathlib
import subprocess
import sys


def main() -> int:
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    shown = (source / "README.md").read_text().split("```")[1].strip("\n").splitlines()
    printed = subprocess.run([program, "diagnose", "--host", "tests/hosts/cx7-pair-pfc-lost-at-reboot"], cwd=source,
                             capture_output=True, text=True, check=False).stdout.splitlines()
    at = 0
    for line in shown:
        if line == "…":
            continue
        if line not in printed[at:]:
            print(f"FAIL: README shows a line that the program does not print (in this order): {line!r}")
            return 1
        at = printed.index(line, at) + 1
    print(f"{len(shown)} lines of README stand in the report")
    return 0 if len(shown) > 20 else 1


if __name__ == "__main__":
    sys.exit(main())
