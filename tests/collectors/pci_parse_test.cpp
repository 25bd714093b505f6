// SPDX-License-Identifier: Apache-2.0
#include "collectors/pci_parse.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(PciParse, addresses) {
  for (const char* good : {"0000:3b:00.0", "10000:01:1f.7", "ABCD:ef:00.1"}) EXPECT_TRUE(is_pci_address(good)) << good;
  for (const char* bad :
       {"", "3b:00.0", "0000:3b:00", "0000:3b:000.0", "0000:3g:00.0", "0000:3b:00.00", "pci0000:00", "mlx5_core.sf.2"})
    EXPECT_FALSE(is_pci_address(bad)) << bad;
  EXPECT_TRUE(same_pci_slot("0000:3b:00.0", "0000:3b:00.1"));
  EXPECT_FALSE(same_pci_slot("0000:3b:00.0", "0000:3c:00.0"));
  EXPECT_FALSE(same_pci_slot("", ""));
}

TEST(PciParse, places_of_devices) {
  const auto nic = parse_sysfs_place("../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0");
  EXPECT_EQ(nic.pci, (std::vector<std::string>{"0000:3a:00.0", "0000:3b:00.0"}));
  EXPECT_FALSE(nic.is_virtual);
  const auto rxe = parse_sysfs_place("../../devices/virtual/infiniband/rxe0");
  EXPECT_TRUE(rxe.is_virtual);
  EXPECT_TRUE(rxe.pci.empty());
  EXPECT_TRUE(parse_sysfs_place("../../devices/pci0000:3a/0000:3b:00.0/mlx5_core.sf.2/infiniband/mlx5_2").sub_function);
  std::string deep = "../../devices";
  for (int i = 0; i < 1000; ++i) deep += "/0000:00:00.0";
  EXPECT_EQ(parse_sysfs_place(deep).pci.size(), 32U);
  EXPECT_EQ(base_name("../../bus/pci/drivers/mlx5_core"), "mlx5_core");
  EXPECT_EQ(base_name("x/"), "x");
  EXPECT_EQ(base_name(""), "");
}

TEST(PciParse, speeds_and_widths) {
  EXPECT_EQ(*parse_pci_speed("16.0 GT/s PCIe\n"), 16000000000U);
  EXPECT_EQ(*parse_pci_speed("2.5 GT/s PCIe"), 2500000000U);
  EXPECT_EQ(parse_pci_speed("Unknown\n").absent().why, Why::NotPresent);
  EXPECT_EQ(parse_pci_speed("").absent().why, Why::Malformed);
  EXPECT_EQ(parse_pci_speed("-3 GT/s").absent().why, Why::Malformed);
  EXPECT_EQ(*parse_pci_width("16\n"), 16U);
  EXPECT_EQ(parse_pci_width("0").absent().why, Why::NotPresent);
  EXPECT_EQ(parse_pci_width("255").absent().why, Why::NotPresent);
  EXPECT_EQ(parse_pci_width("x").absent().why, Why::Malformed);
}

TEST(PciParse, aer_totals) {
  EXPECT_EQ(parse_aer_total("RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3\n"), 3U);
  EXPECT_EQ(parse_aer_total("RxErr 1\n"), std::nullopt);
  EXPECT_EQ(parse_aer_total("TOTAL_ERR_COR many"), std::nullopt);
}

std::string configuration(std::size_t size) {
  std::string config(size, '\0');
  config[0] = '\xb3';
  config[6] = 0x10;
  config[0x34] = 0x60;
  config[0x60] = 0x10;
  config[0x64] = 0x02;  // supports 512
  config[0x68] = 0x20;  // payload 256
  config[0x69] = 0x50;  // read request 4096
  return config;
}

TEST(PciParse, configuration_space) {
  std::string config = configuration(4096);
  config[0x100] = 0x01;  // AER, next at 0x140
  config[0x102] = 0x02;
  config[0x103] = 0x14;
  config[0x140] = 0x0d;  // ACS
  config[0x146] = 0x1d;
  const PciConfiguration parsed = parse_pci_configuration(config);
  EXPECT_EQ(*parsed.max_payload_supported_bytes, 512U);
  EXPECT_EQ(*parsed.max_payload_bytes, 256U);
  EXPECT_EQ(*parsed.max_read_request_bytes, 4096U);
  EXPECT_EQ(*parsed.acs_control, 0x1dU);
  EXPECT_FALSE(*parsed.relaxed_ordering);
  config[0x68] = 0x30;
  EXPECT_TRUE(*parse_pci_configuration(config).relaxed_ordering);
  EXPECT_EQ(parse_pci_configuration(configuration(256)).acs_control.absent().why, Why::NotPresent);
  EXPECT_EQ(parse_pci_configuration(configuration(4096)).acs_control.absent().why, Why::NotPresent);
}

TEST(PciParse, hostile_configuration_space) {
  EXPECT_EQ(parse_pci_configuration(configuration(4096).substr(0, 64)).max_payload_bytes.absent().why, Why::Denied);
  EXPECT_EQ(parse_pci_configuration(configuration(4096).substr(0, 64)).relaxed_ordering.absent().why, Why::Denied);
  EXPECT_EQ(parse_pci_configuration("short").max_payload_bytes.absent().why, Why::Malformed);
  EXPECT_EQ(parse_pci_configuration(std::string(4096, '\xff')).max_payload_bytes.absent().why, Why::Malformed);
  std::string loop = configuration(256);
  loop[0x60] = 0x01;
  loop[0x61] = 0x60;  // points at itself
  EXPECT_EQ(parse_pci_configuration(loop).max_payload_bytes.absent().why, Why::NotPresent);
  std::string extended = configuration(4096);
  extended[0x100] = 0x01;
  extended[0x103] = 0x10;  // next is 0x100 again
  EXPECT_EQ(parse_pci_configuration(extended).acs_control.absent().why, Why::NotPresent);
  for (std::size_t size = 0; size < 4096; size += 7) (void)parse_pci_configuration(configuration(4096).substr(0, size));
  EXPECT_EQ(parse_pci_configuration(configuration(256).substr(0, 0x68)).max_payload_bytes.absent().why, Why::Malformed);
}

}  // namespace
}  // namespace roceready
