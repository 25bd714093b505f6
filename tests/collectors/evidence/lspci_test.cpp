// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence_test {
namespace {

const std::string kFull =
    "3a:00.0 PCI bridge [0604]: Intel Corporation Device [8086:347a] (rev 04) (prog-if 00 [Normal decode])\n"
    "\tBus: primary=3a, secondary=3b, subordinate=3b, sec-latency=0\n"
    "\tCapabilities: [90] Express (v2) Root Port (Slot-), MSI 00\n"
    "\t\tLnkCap:\tPort #9, Speed 16GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkSta:\tSpeed 16GT/s, Width x8 (downgraded)\n"
    "\tCapabilities: [110 v1] Access Control Services\n"
    "\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n"
    "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n"
    "\tKernel driver in use: pcieport\n\n"
    "3b:00.0 Ethernet controller [0200]: Mellanox Technologies MT2892 Family [ConnectX-6 Dx] [15b3:101d]\n"
    "\tSubsystem: Mellanox Technologies Device [15b3:0016]\n"
    "\tNUMA node: 1\n\tIOMMU group: 42\n"
    "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
    "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0, Latency L0s unlimited, L1 unlimited\n"
    "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n"
    "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
    "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkCap2: Supported Link Speeds: 2.5-16GT/s, Crosslink- Retimer+ 2Retimers+ DRS-\n"
    "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)\n"
    "\tKernel driver in use: mlx5_core\n\n"
    "00:1f.0 ISA bridge [0601]: Intel Corporation Device [8086:a248]\n\tNUMA node: 0\n\n"
    "41:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330]\n\tNUMA node: 1\n"
    "\tKernel driver in use: nvidia\n";

TEST(Lspci, functions_their_links_and_control_registers) {
  const evidence::Draft draft = read_text(kFull);
  const PciFunction* nic = draft.snapshot().function("0000:3b:00.0");
  ASSERT_NE(nic, nullptr);
  EXPECT_EQ(nic->vendor_device.value_or(""), "15b3:101d");
  EXPECT_EQ(nic->current_speed.value_or(0), 8'000'000'000U);
  EXPECT_EQ(nic->current_width.value_or(0), 8U);
  EXPECT_EQ(nic->max_speed.value_or(0), 16'000'000'000U);
  EXPECT_EQ(nic->max_width.value_or(0), 16U);
  EXPECT_EQ(nic->max_payload_bytes.value_or(0), 256U);
  EXPECT_EQ(nic->max_payload_supported_bytes.value_or(0), 512U);
  EXPECT_EQ(nic->max_read_request_bytes.value_or(0), 4096U);
  EXPECT_TRUE(nic->relaxed_ordering.value_or(false));
  EXPECT_EQ(nic->numa_node.value_or(-2), 1);
  EXPECT_EQ(nic->parent, "0000:3a:00.0");
  EXPECT_FALSE(nic->acs_control);
  const PciFunction* bridge = draft.snapshot().function("0000:3a:00.0");
  ASSERT_NE(bridge, nullptr);
  EXPECT_EQ(bridge->acs_control.value_or(0), 0x1dU);
  EXPECT_EQ(bridge->current_width.value_or(0), 8U);
  EXPECT_TRUE(draft.snapshot().host.iommu_present.value_or(false));
  EXPECT_EQ(draft.snapshot().pci.size(), 2U) << "other devices are not looked at";
  ASSERT_TRUE(draft.snapshot().gpus);
  EXPECT_EQ(draft.snapshot().gpus->at(0).vendor_device.value_or(""), "10de:2330");
  EXPECT_EQ(draft.place_of("/sys/bus/pci/devices/0000:3b:00.0/current_link_width"), "sent.txt:22");
}

TEST(Lspci, lines_that_grep_kept) {
  const evidence::Draft x4 = read_text("LnkCap: Port #8, Speed 8GT/s, Width x4\nLnkSta: Speed 5GT/s, Width x1\n");
  ASSERT_EQ(x4.snapshot().pci.size(), 1U);
  EXPECT_EQ(x4.snapshot().pci[0].max_width.value_or(0), 4U);
  EXPECT_EQ(x4.snapshot().pci[0].current_width.value_or(0), 1U);
  EXPECT_EQ(x4.snapshot().pci[0].current_speed.value_or(0), 5'000'000'000U);
  const evidence::Draft acs =
      read_text("ACSCtl: SrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-\n");
  EXPECT_EQ(acs.snapshot().pci.at(0).acs_control.value_or(9), 0U);
  const evidence::Draft named =
      read_text("$ lspci -vvv -s 3b:00.0 | grep LnkSta:\n\t\tLnkSta:\tSpeed 16GT/s (ok), Width x16 (ok)\n");
  EXPECT_EQ(named.snapshot().pci.at(0).address, "0000:3b:00.0");
}

TEST(Lspci, a_second_line_of_a_kind_without_its_function_is_nobodys) {
  const evidence::Draft draft = read_text("LnkSta: Speed 16GT/s, Width x16\nLnkSta: Speed 2.5GT/s, Width x1\n");
  EXPECT_EQ(draft.snapshot().pci.at(0).current_width.value_or(0), 16U);
  EXPECT_EQ(draft.unread_count(), 1U);
}

TEST(Lspci, a_user_who_is_not_root_was_denied) {
  const evidence::Draft draft = read_text(
      "0000:3b:00.0 Ethernet controller: Mellanox Technologies MT2892 Family [ConnectX-6 Dx]\n"
      "\tCapabilities: <access denied>\n");
  EXPECT_EQ(draft.snapshot().pci.at(0).acs_control.absent().why, Why::Denied);
  EXPECT_EQ(draft.snapshot().pci.at(0).current_width.absent().why, Why::NotRecorded);
}

TEST(Lspci, nonsense_is_malformed_and_no_link_is_no_number) {
  const evidence::Draft draft = read_text(
      "3b:00.0 0200: 15b3:101d\n\t\tLnkSta:\tSpeed unknown, Width x0\n\t\tLnkCap:\tPort #0, Speed fastGT/s, Width y\n"
      "\t\tACSCtl:\tSrcValid+ TransBlk\n");
  const PciFunction& function = draft.snapshot().pci.at(0);
  EXPECT_EQ(function.vendor_device.value_or(""), "15b3:101d");
  EXPECT_EQ(function.current_speed.absent().why, Why::NotPresent);
  EXPECT_EQ(function.current_width.absent().why, Why::NotPresent);
  EXPECT_EQ(function.max_speed.absent().why, Why::Malformed);
  EXPECT_EQ(function.max_width.absent().why, Why::Malformed);
  EXPECT_EQ(function.acs_control.absent().why, Why::Malformed);
}

TEST(Lspci, every_cut_is_lived_with) {
  cut_everywhere(kFull);
}

}  // namespace
}  // namespace roceready::evidence_test
