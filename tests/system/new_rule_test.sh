#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# "Your first rule in ten minutes" works: the skeleton is written into a copy of the tree, and it compiles.
# new_rule_test.sh SOURCE_DIR WORK_DIR
set -euo pipefail
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
(cd "$source" && tar cf - core rules tools tests/rules docs/facts.md) | tar xf - -C "$work"
cd "$work"
tools/new_rule pfc-example-rule
grep -q 'RULE(kPfcExampleRule)' rules/catalog.def
test -f rules/pfc/pfc_example_rule.cpp
test -f tests/rules/pfc/pfc_example_rule_test.cpp
for file in rules/pfc/pfc_example_rule.cpp tests/rules/pfc/pfc_example_rule_test.cpp; do
  ${CXX:-c++} -std=c++20 -fsyntax-only -I. -Wall -Wextra -Werror "$file"
done
rc=0
tools/new_rule pfc-example-rule > /dev/null 2>&1 || rc=$?
test "$rc" = 64
echo "the skeleton compiles"
