// SPDX-License-Identifier: Apache-2.0
#include "collectors/module_eeprom.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>

namespace roceready {
namespace {

/// A module as its pages, from which parts are cut as a driver does.
class Module {
 public:
  explicit Module(std::uint8_t identifier, std::uint8_t status = 0) {
    set(0x50, 0, 0, identifier);
    set(0x50, 0, 2, status);
  }
  void set(std::uint8_t i2c, std::uint8_t page, unsigned offset, unsigned value) {
    bytes_[{i2c, page, offset}] = static_cast<std::byte>(value);
  }
  void word(std::uint8_t i2c, std::uint8_t page, unsigned offset, unsigned value) {
    set(i2c, page, offset, value >> 8U & 0xffU);
    set(i2c, page, offset + 1, value & 0xffU);
  }
  /// Limits in the order of the EEPROM: high alarm, low alarm, high warning, low warning.
  void limits(std::uint8_t i2c, std::uint8_t page, unsigned offset, std::initializer_list<unsigned> words) {
    for (const unsigned value : words) word(i2c, page, offset, value), offset += 2;
  }
  [[nodiscard]] Bytes cut(const ModulePart& part) const {
    Bytes out;
    for (unsigned k = 0; k < part.length; ++k) {
      const auto found = bytes_.find({part.i2c_address, part.page, part.offset + k});
      out.push_back(found == bytes_.end() ? std::byte{0} : found->second);
    }
    return out;
  }
  [[nodiscard]] ModuleFacts read() const {
    const Bytes head = cut(kModuleHead);
    std::map<ModulePart, Bytes> parts{{kModuleHead, head}};
    for (const ModulePart& part : module_parts(head)) parts[part] = cut(part);
    return parse_module(parts);
  }

 private:
  std::map<std::tuple<std::uint8_t, std::uint8_t, unsigned>, std::byte> bytes_;
};

const ModuleMonitor* find(const ModuleFacts& facts, const std::string& what, std::uint32_t lane) {
  if (!facts.monitors) return nullptr;
  for (const ModuleMonitor& one : *facts.monitors)
    if (one.what == what && one.lane == lane) return &one;
  return nullptr;
}

TEST(ModuleEeprom, a_qsfp_measures_each_lane) {
  Module module(0x11);
  module.word(0x50, 0, 22, 0x2a80);  // 42.5 degrees
  module.limits(0x50, 3, 128, {0x4b00, 0xfb00, 0x4600, 0x0000});
  module.word(0x50, 0, 36, 5000);  // receive power of lane 2: 0.5 mW
  module.limits(0x50, 3, 176, {34674, 501, 17378, 1000});
  const ModuleFacts facts = module.read();
  EXPECT_EQ(facts.form, "QSFP28");
  const ModuleMonitor* heat = find(facts, "temperature", 0);
  ASSERT_NE(heat, nullptr);
  EXPECT_EQ(*heat, (ModuleMonitor{"temperature", 0, 42.5, "degrees C", -5, 0, 70, 75}));
  const ModuleMonitor* light = find(facts, "receive power", 2);
  ASSERT_NE(light, nullptr);
  EXPECT_DOUBLE_EQ(light->value, 5e-4);
  EXPECT_DOUBLE_EQ(light->low_alarm, 501e-7);
  EXPECT_DOUBLE_EQ(light->high_warning, 17378e-7);
  EXPECT_EQ(find(facts, "supply voltage", 0), nullptr) << "no limits: not monitored";
  EXPECT_EQ(facts.copper_length_metres.absent().why, Why::NotPresent);
}

TEST(ModuleEeprom, a_sfp_measures_at_its_second_address) {
  Module module(0x03);
  module.set(0x50, 0, 92, 0x60);
  module.word(0x51, 0, 104, 1);
  module.limits(0x51, 0, 32, {20000, 100, 10000, 200});
  const ModuleFacts facts = module.read();
  const ModuleMonitor* light = find(facts, "receive power", 0);
  ASSERT_NE(light, nullptr);
  EXPECT_DOUBLE_EQ(light->value, 1e-7);
  module.set(0x50, 0, 92, 0x70);
  EXPECT_EQ(module.read().monitors.absent().why, Why::NotSupported) << "calibrated by its reader";
  module.set(0x50, 0, 92, 0x00);
  EXPECT_EQ(module.read().monitors.absent().why, Why::NotPresent);
}

TEST(ModuleEeprom, a_cmis_module_has_eight_lanes_and_a_state) {
  Module module(0x18);
  module.set(0x50, 0, 3, 3U << 1U);  // ready
  module.word(0x50, 0, 14, 0x3200);
  module.limits(0x50, 2, 128, {0x4b00, 0x0000, 0x4600, 0x0500});
  module.word(0x50, 0x11, 186 + 14, 4000);
  module.limits(0x50, 2, 192, {30000, 300, 20000, 600});
  const ModuleFacts facts = module.read();
  EXPECT_EQ(facts.form, "QSFP-DD");
  ASSERT_NE(find(facts, "temperature", 0), nullptr);
  EXPECT_DOUBLE_EQ(find(facts, "temperature", 0)->value, 50);
  ASSERT_NE(find(facts, "receive power", 8), nullptr);
  EXPECT_DOUBLE_EQ(find(facts, "receive power", 8)->value, 4e-4);
  EXPECT_FALSE(facts.fault);
  module.set(0x50, 0, 3, 5U << 1U);
  EXPECT_TRUE(module.read().fault);
}

TEST(ModuleEeprom, copper_says_how_long_it_is_and_measures_nothing) {
  Module sfp(0x03), qsfp(0x11, 0x04), cmis(0x19, 0x80);
  sfp.set(0x50, 0, 8, 0x04);
  sfp.set(0x50, 0, 18, 5);
  qsfp.set(0x50, 0, 147, 0xa0);
  qsfp.set(0x50, 0, 146, 3);
  cmis.set(0x50, 0, 85, 0x03);
  cmis.set(0x50, 0, 202, 25);  // units of 0.1 m
  for (const auto& [module, metres] : {std::pair{&sfp, 5.0}, std::pair{&qsfp, 3.0}, std::pair{&cmis, 2.5}}) {
    const ModuleFacts facts = module->read();
    ASSERT_TRUE(facts.copper_length_metres) << facts.form;
    EXPECT_DOUBLE_EQ(*facts.copper_length_metres, metres) << facts.form;
    EXPECT_EQ(facts.monitors.absent().why, Why::NotPresent) << facts.form;
  }
}

TEST(ModuleEeprom, latched_flags_are_never_among_the_parts) {
  const auto holds = [](const ModulePart& part, unsigned page, unsigned from, unsigned to) {
    return part.i2c_address == 0x50 && part.page == page && part.offset <= to && part.offset + part.length > from;
  };
  for (const unsigned identifier : {0x0cU, 0x0dU, 0x11U}) {
    std::vector<ModulePart> parts = module_parts(Module(static_cast<std::uint8_t>(identifier)).cut(kModuleHead));
    parts.push_back(kModuleHead);
    for (const ModulePart& part : parts) EXPECT_FALSE(holds(part, 0, 3, 21)) << int{part.offset};
  }
  for (const unsigned identifier : {0x18U, 0x19U, 0x1eU}) {
    for (const ModulePart& part : module_parts(Module(static_cast<std::uint8_t>(identifier)).cut(kModuleHead))) {
      EXPECT_FALSE(holds(part, 0, 8, 13)) << int{part.offset};
      EXPECT_FALSE(holds(part, 0x11, 134, 153)) << int{part.offset};
    }
  }
}

TEST(ModuleEeprom, parts_never_cross_the_middle_of_a_page) {
  for (const unsigned identifier : {0x03U, 0x11U, 0x18U}) {
    for (const ModulePart& part : module_parts(Module(static_cast<std::uint8_t>(identifier)).cut(kModuleHead))) {
      EXPECT_LE(part.length, 128);
      EXPECT_TRUE(part.offset >= 128 || part.offset + part.length <= 128) << int{part.offset};
      EXPECT_TRUE(part.page == 0 || part.offset >= 128) << int{part.offset};
    }
  }
}

TEST(ModuleEeprom, unknown_forms_and_missing_parts_are_absent) {
  EXPECT_TRUE(module_parts(Module(0x42).cut(kModuleHead)).empty());
  EXPECT_TRUE(module_parts({}).empty());
  EXPECT_EQ(Module(0x42).read().monitors.absent().why, Why::NotSupported);
  EXPECT_FALSE(parse_module({}).monitors);
  const Bytes head = Module(0x11).cut(kModuleHead);
  EXPECT_FALSE(parse_module({{kModuleHead, head}}).monitors);
  EXPECT_FALSE(parse_module({{kModuleHead, head}, {module_parts(head)[1], Bytes(3)}}).monitors);
}

}  // namespace
}  // namespace roceready
