// SPDX-License-Identifier: Apache-2.0
// The PCI tree and plugged modules of one machine, through the whole sampler.
#include <gtest/gtest.h>

#include <cerrno>

#include "collectors/module_eeprom.h"
#include "collectors/sampler.h"
#include "tests/collectors/mlx5_pair.h"

namespace roceready {
namespace {

const std::string kDevices = "/sys/bus/pci/devices/";

Snapshot sample(doubles::FakeHost& machine) {
  Sampler sampler{SamplerOptions{}};
  Host host = machine.host();
  return sampler.sample(host);
}

void add_gpu(doubles::FakeHost& machine, const std::string& driver, const std::string& address,
             const std::string& pci_class) {
  machine.entry("/sys/bus/pci/drivers/" + driver, address);
  machine.entry("/sys/bus/pci/drivers/" + driver, "module");
  machine.link(kDevices + address, "../../../devices/pci0000:3a/0000:39:00.0/" + address);
  machine.file(kDevices + address + "/class", pci_class + "\n");
  machine.file(kDevices + address + "/vendor", "0x10de\n");
  machine.file(kDevices + address + "/device", "0x2330\n");
  machine.file(kDevices + address + "/numa_node", "1\n");
}

TEST(PciTree, gpus_come_with_the_bridges_above_them_and_are_not_touched_themselves) {
  doubles::FakeHost machine = one_port();
  add_gpu(machine, "nvidia", "0000:4b:00.0", "0x030200");
  add_gpu(machine, "amdgpu", "0000:4c:00.0", "0x120000");
  add_gpu(machine, "nvidia", "0000:4d:00.0", "0x040300");  // its sound
  const Snapshot seen = sample(machine);
  ASSERT_TRUE(seen.gpus);
  ASSERT_EQ(seen.gpus->size(), 2U);
  EXPECT_EQ(seen.gpus->at(0).address, "0000:4b:00.0");
  EXPECT_EQ(*seen.gpus->at(0).vendor_device, "10de:2330");
  EXPECT_EQ(*seen.gpus->at(0).numa_node, 1);
  EXPECT_EQ(seen.gpus->at(1).parent, "0000:39:00.0");
  EXPECT_NE(seen.function("0000:39:00.0"), nullptr);
  EXPECT_EQ(seen.function("0000:4b:00.0"), nullptr);
  EXPECT_FALSE(machine.asked_about("0000:4b:00.0/config"));
  EXPECT_FALSE(machine.asked_about("0000:4b:00.0/current_link_speed"));
}

TEST(PciTree, a_sleeping_gpu_keeps_its_bridges_asleep) {
  doubles::FakeHost machine = one_port();
  add_gpu(machine, "nvidia", "0000:4b:00.0", "0x030000");
  machine.file(kDevices + "0000:4b:00.0/power/runtime_status", "suspended\n");
  const Snapshot seen = sample(machine);
  ASSERT_EQ(seen.gpus->size(), 1U);
  EXPECT_FALSE(machine.asked_about("0000:39:00.0/config"));
}

TEST(PciTree, no_gpu_driver_is_no_gpu_and_a_refused_list_is_unknown) {
  doubles::FakeHost machine = one_port();
  EXPECT_TRUE(sample(machine).gpus->empty());
  machine.refuse("list/sys/bus/pci/drivers/nvidia", EACCES);
  EXPECT_EQ(sample(machine).gpus.absent().why, Why::Denied);
}

TEST(PciTree, errors_count_only_below_a_root_port_that_the_kernel_serves) {
  for (const char* service : {"", "0000:3a:00.0:pcie002", "0000:77:00.0:pcie002"}) {
    doubles::FakeHost machine = one_port();
    for (const char* kind : {"correctable", "nonfatal", "fatal"})
      machine.file(kDevices + "0000:3b:00.0/aer_dev_" + kind, "RxErr 2\nTOTAL_ERR_COR 2\n");
    if (*service != '\0') machine.entry("/sys/bus/pci_express/drivers/aer", service);
    const Snapshot seen = sample(machine);
    const auto& aer = seen.function("0000:3b:00.0")->aer;
    EXPECT_EQ(aer.has_value(), std::string(service).starts_with("0000:3a")) << service;
    if (!aer) {
      EXPECT_EQ(aer.absent().why, Why::NotPresent);
    }
  }
}

std::string eeprom_answer(const std::string& bytes) {
  return doubles::Attrs().raw(uapi::kEthtoolAModuleEepromData, bytes).bytes();
}

TEST(Modules, are_read_part_by_part) {
  doubles::FakeHost machine = one_port();
  machine.data(answer_key::module_eeprom("eth0", kModuleHead), eeprom_answer(std::string("\x11\x07\x04", 3)));
  machine.data("netlink/ethtool/module_eeprom/eth0/80/0/146/2", eeprom_answer(std::string("\x03\xa0", 2)));
  const Reading<ModuleFacts> module = sample(machine).netdev("eth0")->ethtool.module;
  ASSERT_TRUE(module);
  EXPECT_EQ(module->form, "QSFP28");
  EXPECT_DOUBLE_EQ(*module->copper_length_metres, 3);
}

TEST(Modules, that_are_refused_or_cut_short_are_absent_with_the_reason) {
  doubles::FakeHost machine = one_port();
  machine.refuse(answer_key::module_eeprom("eth0", kModuleHead), EPERM);
  EXPECT_EQ(sample(machine).netdev("eth0")->ethtool.module.absent().why, Why::Denied);
  machine.data(answer_key::module_eeprom("eth0", kModuleHead), eeprom_answer("\x11"));
  EXPECT_EQ(sample(machine).netdev("eth0")->ethtool.module.absent().why, Why::Malformed);
  machine.data(answer_key::module_eeprom("eth0", kModuleHead), eeprom_answer(std::string("\x11\x07\x00", 3)));
  machine.refuse("netlink/ethtool/module_eeprom/eth0/80/0/22/36", EIO);
  const Reading<ModuleFacts> module = sample(machine).netdev("eth0")->ethtool.module;
  ASSERT_TRUE(module);
  EXPECT_EQ(module->monitors.absent().why, Why::NotSupported);
  for (const int refusal : {EINVAL, EIO, ENODEV}) {
    machine.refuse(answer_key::module_eeprom("eth0", kModuleHead), refusal);
    EXPECT_EQ(sample(machine).netdev("eth0")->ethtool.module.absent().why, Why::NotPresent) << "no module plugged";
  }
}

TEST(Medium, is_the_kind_of_port_that_the_kernel_names) {
  doubles::FakeHost machine = one_port();
  machine.data(answer_key::ethtool(EthtoolMessage::LinkInfo, "eth0"),
               doubles::Attrs().number(uapi::kEthtoolALinkInfoPort, uapi::kPortDa).bytes());
  EXPECT_EQ(*sample(machine).netdev("eth0")->ethtool.medium, "DirectAttach");
  machine.data(answer_key::ethtool(EthtoolMessage::LinkInfo, "eth0"), "");
  EXPECT_EQ(sample(machine).netdev("eth0")->ethtool.medium.absent().why, Why::NotPresent);
}

}  // namespace
}  // namespace roceready
