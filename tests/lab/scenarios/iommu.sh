#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# DMA translation as the kernel says it (machine with --iommu).  iommu.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"
lossless_nic
take --profile nvidia-lossless
keep iommu
expect "the group's type is read" true '"host-iommu-translating" not in unknown()'
ls -l /sys/kernel/iommu_groups | head
cat /sys/kernel/iommu_groups/*/type | sort | uniq -c
lab_done
