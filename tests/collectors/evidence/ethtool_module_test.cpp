// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

const std::string kCopper = R"(	Identifier                                : 0x11 (QSFP28)
	Extended identifier                       : 0x00
	Extended identifier description           : 1.5W max. Power consumption
	Connector                                 : 0x23 (No separable connector)
	Transceiver type                          : 100G Ethernet: 100G Base-CR4 or 25G Base-CR CA-L
	Length (SMF,km)                           : 0km
	Length (Copper or Active cable)           : 3m
	Transmitter technology                    : 0xa0 (Copper cable unequalized)
	Vendor name                               : Mellanox
	Revision Compliance                       : SFF-8636 Rev 2.5/2.6/2.7
)";
const std::string kOptical = R"(	Identifier                                : 0x11 (QSFP28)
	Length (Copper or Active cable)           : 0m
	Transmitter technology                    : 0x00 (850 nm VCSEL)
	Module temperature                        : 41.50 degrees C / 106.70 degrees F
	Module voltage                            : 3.2841 V
	Alarm/warning flags implemented           : Yes
	Laser tx bias current (Channel 1)         : 7.500 mA
	Transmit avg optical power (Channel 1)    : 0.8000 mW / -0.97 dBm
	Rcvr signal avg optical power(Channel 1)  : 0.0100 mW / -20.00 dBm
	Laser bias current high alarm   (Chan 1)  : Off
	Module temperature high alarm             : Off
	Laser bias current high alarm threshold   : 10.000 mA
	Laser bias current low alarm threshold    : 0.500 mA
	Laser bias current high warning threshold : 9.500 mA
	Laser bias current low warning threshold  : 1.000 mA
	Module temperature high alarm threshold   : 75.00 degrees C / 167.00 degrees F
	Module temperature low alarm threshold    : -5.00 degrees C / 23.00 degrees F
	Module temperature high warning threshold : 70.00 degrees C / 158.00 degrees F
	Module temperature low warning threshold  : 0.00 degrees C / 32.00 degrees F
	Laser rx power high alarm threshold       : 3.4674 mW / 5.40 dBm
	Laser rx power low alarm threshold        : 0.0467 mW / -13.31 dBm
	Laser rx power high warning threshold     : 2.1878 mW / 3.40 dBm
	Laser rx power low warning threshold      : 0.1175 mW / -9.30 dBm
)";

const ModuleFacts& module_of(const Parsed& out, const char* name = "") {
  return *out.netdev(name)->ethtool.module;
}

TEST(EthtoolModule, knows_a_passive_copper_cable) {
  const Parsed out = parsed("[root@n1 ~]# ethtool -m eth0\n" + kCopper);
  EXPECT_TRUE(out.unread.empty());
  const ModuleFacts& module = module_of(out, "eth0");
  EXPECT_EQ(module.form, "QSFP28");
  EXPECT_EQ(*module.copper_length_metres, 3.0);
  EXPECT_EQ(module.monitors.absent().why, Why::NotPresent);
  EXPECT_EQ(module.fault.absent().why, Why::NotPresent);
  EXPECT_EQ(out.draft.place_of("ethtool -m eth0"), "a.txt:2");
}

TEST(EthtoolModule, gives_what_an_optical_module_measures) {
  const Parsed out = parsed(kOptical);
  EXPECT_TRUE(out.unread.empty());
  const ModuleFacts& module = module_of(out);
  EXPECT_EQ(module.copper_length_metres.absent().why, Why::NotPresent);
  ASSERT_TRUE(module.monitors);
  ASSERT_EQ(module.monitors->size(), 3U) << "voltage and transmit power have no limits here";
  EXPECT_EQ((*module.monitors)[0], (ModuleMonitor{"temperature", 0, 41.5, "degrees C", -5, 0, 70, 75}));
  const ModuleMonitor& power = (*module.monitors)[2];
  EXPECT_EQ(power.what, "receive power");
  EXPECT_EQ(power.lane, 1U);
  EXPECT_DOUBLE_EQ(power.value, 1e-5);
  EXPECT_DOUBLE_EQ(power.low_alarm, 4.67e-5);
  EXPECT_EQ(power.unit, "W");
  EXPECT_DOUBLE_EQ((*module.monitors)[1].value, 7.5e-3);
}

TEST(EthtoolModule, knows_the_state_of_a_cmis_module) {
  const std::string head = "\tIdentifier                                : 0x18 (QSFP-DD Double Density)\n";
  const Parsed bad = parsed(head + "\tModule State                              : 0x05 (ModuleFault)\n");
  EXPECT_EQ(module_of(bad).form, "QSFP-DD");
  EXPECT_TRUE(module_of(bad).fault.has_value());
  const Parsed good = parsed(head +
                             "\tCable assembly length                     : 2.50m\n"
                             "\tTransmitter technology                    : 0x0a (Copper cable, unequalized)\n"
                             "\tModule State                              : 0x03 (ModuleReady)\n");
  EXPECT_EQ(module_of(good).fault.absent().why, Why::NotPresent);
  EXPECT_EQ(*module_of(good).copper_length_metres, 2.5);
  EXPECT_EQ(module_of(parsed(head)).fault.absent().why, Why::NotRecorded);
}

TEST(EthtoolModule, reads_an_sfp) {
  const Parsed dac = parsed(
      "\tIdentifier                                : 0x03 (SFP)\n"
      "\tLength (Copper)                           : 1m\n"
      "\tPassive Cu cmplnce.                       : 0x01 (SFF-8431 appendix E) [SFF-8472 rev10.4 only]\n");
  EXPECT_EQ(module_of(dac).form, "SFP");
  EXPECT_EQ(*module_of(dac).copper_length_metres, 1.0);
  const Parsed silent = parsed(
      "\tIdentifier                                : 0x03 (SFP)\n"
      "\tOptical diagnostics support               : No\n");
  EXPECT_EQ(module_of(silent).monitors.absent().why, Why::NotPresent);
}

TEST(EthtoolModule, takes_refusals_for_facts) {
  EXPECT_EQ(
      parsed("$ ethtool -m eth0\nnetlink error: Operation not permitted\n").netdev("eth0")->ethtool.module.absent().why,
      Why::Denied);
  EXPECT_EQ(parsed("$ ethtool -m eth0\nCannot get module EEPROM information: Operation not supported\n")
                .netdev("eth0")
                ->ethtool.module.absent()
                .why,
            Why::NotSupported);
}

TEST(EthtoolModule, takes_limits_of_zero_for_none) {
  const Parsed out = parsed(
      "\tIdentifier                                : 0x11 (QSFP28)\n"
      "\tModule temperature                        : 30.00 degrees C / 86.00 degrees F\n"
      "\tModule temperature high alarm threshold   : 0.00 degrees C / 32.00 degrees F\n"
      "\tModule temperature low alarm threshold    : 0.00 degrees C / 32.00 degrees F\n"
      "\tModule temperature high warning threshold : 0.00 degrees C / 32.00 degrees F\n"
      "\tModule temperature low warning threshold  : 0.00 degrees C / 32.00 degrees F\n");
  EXPECT_EQ(module_of(out).monitors.absent().why, Why::NotPresent);
}

TEST(EthtoolModule, invents_nothing_when_lines_are_lost) {
  expect_no_invention(kCopper);
}

}  // namespace
}  // namespace roceready::evidence
