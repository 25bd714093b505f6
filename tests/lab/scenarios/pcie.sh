#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A link narrower than the device and the slot can.  pcie.sh PROGRAM
set -euo pipefail
. "$(dirname "$0")/report.sh"
lossless_nic pci_max_width=16 pci_cur_width=4 pci_max_speed=4 pci_cur_speed=4 port_max_width=16 port_max_speed=4
take --profile nvidia-lossless
keep narrow
expect "a quarter of the lanes" pcie-width-degraded 'first()'
expect "critical" critical 'severity("pcie-width-degraded")'
# A virtual machine's PCIe registers may be invented, so the finding alone does not take the node out.
expect "with less than full confidence in a virtual machine" true 'finding("pcie-width-degraded")["confidence"] < 0.7'
lab_check_equal "exit code: degraded" 1 "$code"
lab_knob pci "cur_width 16"
lab_knob pci "cur_speed 3"
take --profile nvidia-lossless
expect "one generation lower" true '"pcie-speed-degraded" in ids()'
lab_knob pci "cur_speed 4"
take --profile nvidia-lossless
expect "and back" ready 'r["verdict"]'
lab_knob pci "port_max_width 8"
lab_knob pci "cur_width 8"
take --profile nvidia-lossless
expect "a slot of eight lanes is no degraded link" null 'severity("pcie-width-degraded")'
lab_done
