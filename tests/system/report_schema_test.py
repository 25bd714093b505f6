#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every recorded host's report, and those of some files, keep to docs/report.schema.json, and to a closed copy of it.

usage: report_schema_test.py PROGRAM SOURCE_DIR
The published schema is open, so that readers accept what /1 grows by. The copy made here forbids every key that the
schema does not name, so that nothing is added without a line in it.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

SKIP = 77


def closed(schema):
    """The schema with additionalProperties false wherever properties are listed and nothing else is said."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: closed(value) for key, value in schema.items()}
    # An object schema names "properties"; the map of properties itself holds schemas only.
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        out.setdefault("additionalProperties", False)
    return out


def check_sums(report):
    """The reader can compute scores by hand, and find each cause among the findings."""
    problems = []
    for where in [report] + report["ports"]:
        if where["score"] is None:
            continue
        points = sum(penalty["points"] for penalty in where["penalties"])
        if abs(100 - points - where["score"]) > 1e-6:
            problems.append(f"100 - {points} is not the score {where['score']}")
    keys = [finding["key"] for finding in report["findings"]]
    if len(set(keys)) != len(keys):
        problems.append("two findings have the same key")
    for cause in report["causes"]:
        if cause not in report["findings"]:
            problems.append(f"cause {cause['key']} is not among the findings")
    for finding in report["findings"]:
        for key in finding["cause_of"] + ([finding["symptom_of"]] if finding["symptom_of"] else []):
            if key not in keys:
                problems.append(f"{finding['key']} refers to {key}, which is not there")
    return problems


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "docs/report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(closed(schema))
    hosts = sorted(path.parent for path in (source / "tests/hosts").glob("*/host.json"))
    if not hosts:
        print("no recorded hosts under tests/hosts: skipped")
        return SKIP
    failures = 0
    codes = {"ready": 0, "degraded": 1, "not_ready": 2}
    runs = [(host.name, ["--host", str(host)]) for host in hosts]
    # One host each; a bundle of two prints an array.
    for case in ("C003", "C024", "C043", "C073"):
        runs.append((case, ["--evidence", str(source / "tests/evidence/cases" / case / "files"), "--interval", "1s"]))
    for name, arguments in runs:
        run = subprocess.run([program, "diagnose", *arguments, "--format", "json"], capture_output=True, timeout=120)
        problems = []
        try:
            report = json.loads(run.stdout.decode("utf-8"))
        except ValueError as error:
            problems.append(f"no JSON ({error}); exit code {run.returncode}; {run.stderr.decode(errors='replace')}")
        else:
            problems += [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(report)]
            if not problems:
                problems += check_sums(report)
            if run.returncode != codes.get(report.get("verdict"), 3):
                problems.append(f"verdict {report.get('verdict')} with exit code {run.returncode}")
        for problem in problems:
            print(f"{name}: {problem}")
        failures += bool(problems)
    print(f"{len(hosts)} hosts, {failures} with problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
