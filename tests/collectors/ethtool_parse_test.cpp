// SPDX-License-Identifier: Apache-2.0
#include "collectors/ethtool_parse.h"

#include <gtest/gtest.h>

#include "collectors/link_modes.h"
#include "tests/collectors/bytes_of.h"
#include "tests/doubles/netlink_builder.h"

namespace roceready {
namespace {

using doubles::Attrs;

/// A compact bitset of up to 128 bits.
Attrs bitset(const std::vector<std::uint32_t>& value, const std::vector<std::uint32_t>* mask) {
  const auto words = [](const std::vector<std::uint32_t>& bits) {
    std::string out(16, '\0');
    for (const std::uint32_t bit : bits) out[bit / 8] = static_cast<char>(out[bit / 8] | 1 << (bit % 8));
    return out;
  };
  Attrs out;
  if (mask == nullptr) out.flag(uapi::kEthtoolABitsetNoMask);
  out.number(uapi::kEthtoolABitsetSize, std::uint32_t{128}).raw(uapi::kEthtoolABitsetValue, words(value));
  if (mask != nullptr) out.raw(uapi::kEthtoolABitsetMask, words(*mask));
  return out;
}

TEST(EthtoolParse, stall_limit_is_milliseconds_and_0_is_no_limit) {
  EXPECT_EQ(*parse_pfc_prevention_timeout(as_bytes_of(std::string("\x40\x1f", 2))), 8000U);
  EXPECT_EQ(*parse_pfc_prevention_timeout(as_bytes_of(std::string("\0\0", 2))), 0U);
  EXPECT_EQ(parse_pfc_prevention_timeout(as_bytes_of(std::string("x"))).absent().why, Why::Malformed);
}

TEST(EthtoolParse, driver_information_without_terminators) {
  const auto info = parse_driver_info(as_bytes_of(doubles::driver_info_bytes("mlx5_core", std::string(32, 'f'))));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->driver, "mlx5_core");
  EXPECT_EQ(info->firmware, std::string(32, 'f'));
  EXPECT_EQ(info->bus_info, "0000:3b:00.0");
  EXPECT_FALSE(parse_driver_info(as_bytes_of(std::string(195, 'x'))));
}

TEST(EthtoolParse, names_of_32_bytes_trailing_blanks_and_unprintable_bytes) {
  const auto names = parse_statistics_names(as_bytes_of(doubles::statistic_names_bytes(
      {std::string(32, 'a'), "tx_pause_storm_warning_events ", "a\x01\xfe", "RNR sent", ""})));
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{std::string(32, 'a'), "tx_pause_storm_warning_events", "a\\x01\\xfe",
                                              "RNR sent", ""}));
  EXPECT_FALSE(parse_statistics_names(as_bytes_of(std::string(33, 'x'))));
}

TEST(EthtoolParse, values_must_be_as_many_as_names) {
  const std::string three = doubles::statistic_values_bytes({1, UINT64_MAX, 3});
  EXPECT_EQ(*parse_statistics_values(as_bytes_of(three), 3), (std::vector<std::uint64_t>{1, UINT64_MAX, 3}));
  EXPECT_FALSE(parse_statistics_values(as_bytes_of(three), 2));
  EXPECT_FALSE(parse_statistics_values(as_bytes_of(three.substr(1)), 3));
}

TEST(EthtoolParse, link_modes_give_the_fastest_of_each_kind) {
  const std::vector<std::uint32_t> supported{6, 36, 66, 89}, advertised{36, 66};
  const std::string message = Attrs()
                                  .number(uapi::kEthtoolALinkModesAutoneg, std::uint8_t{1})
                                  .nest(uapi::kEthtoolALinkModesOurs, bitset(advertised, &supported))
                                  .nest(uapi::kEthtoolALinkModesPeer, bitset({36}, nullptr))
                                  .number(uapi::kEthtoolALinkModesSpeed, std::uint32_t{200000})
                                  .number(uapi::kEthtoolALinkModesLanes, std::uint32_t{4})
                                  .bytes();
  const LinkModes modes = parse_link_modes(as_bytes_of(message));
  EXPECT_EQ(*modes.speed_bits_per_second, 200000000000U);
  EXPECT_EQ(*modes.lanes, 4U);
  EXPECT_TRUE(*modes.autoneg);
  EXPECT_EQ(*modes.max_supported_bits_per_second, 400000000000U);
  EXPECT_EQ(*modes.max_advertised_bits_per_second, 200000000000U);
  EXPECT_EQ(*modes.max_peer_bits_per_second, 100000000000U);
}

TEST(EthtoolParse, an_unknown_speed_is_absent) {
  for (const std::uint32_t speed : {0U, 0xffffffffU}) {
    const std::string message = Attrs().number(uapi::kEthtoolALinkModesSpeed, speed).bytes();
    EXPECT_EQ(parse_link_modes(as_bytes_of(message)).speed_bits_per_second.absent().why, Why::NotPresent);
  }
  EXPECT_FALSE(parse_link_modes({}).autoneg);
  EXPECT_FALSE(parse_link_modes({}).max_supported_bits_per_second);
}

TEST(EthtoolParse, verbose_bitsets_are_understood_too) {
  const auto bit = [](std::uint32_t index, bool value) {
    Attrs out;
    out.number(uapi::kEthtoolABitsetBitIndex, index).text(uapi::kEthtoolABitsetBitName, "name");
    if (value) out.flag(uapi::kEthtoolABitsetBitValue);
    return out;
  };
  const std::string message =
      Attrs()
          .nest(uapi::kEthtoolABitsetBits, Attrs()
                                               .nest(uapi::kEthtoolABitsetBitsBit, bit(36, true))
                                               .nest(uapi::kEthtoolABitsetBitsBit, bit(66, false))
                                               .nest(uapi::kEthtoolABitsetBitsBit, bit(4000000000U, true)))
          .bytes();
  const Bitset bits = parse_bitset(as_bytes_of(message));
  EXPECT_EQ(bits.value, (std::vector<std::uint32_t>{36}));
  EXPECT_EQ(bits.mask, (std::vector<std::uint32_t>{36, 66}));
}

TEST(EthtoolParse, a_bitset_that_claims_more_than_it_has_ends_early) {
  const std::string message = Attrs()
                                  .number(uapi::kEthtoolABitsetSize, std::uint32_t{0xffffffff})
                                  .raw(uapi::kEthtoolABitsetValue, std::string(4, '\xff'))
                                  .bytes();
  EXPECT_EQ(parse_bitset(as_bytes_of(message)).value.size(), 32U);
}

TEST(EthtoolParse, link_state_has_the_words_of_the_kernel) {
  const auto state = [](std::uint8_t extended, std::uint8_t sub) {
    return parse_link_state(as_bytes_of(Attrs()
                                            .number(uapi::kEthtoolALinkStateLink, std::uint8_t{0})
                                            .number(uapi::kEthtoolALinkStateExtState, extended)
                                            .number(uapi::kEthtoolALinkStateExtSubstate, sub)
                                            .number(uapi::kEthtoolALinkStateExtDownCnt, std::uint32_t{7})
                                            .bytes()));
  };
  EXPECT_FALSE(*state(4, 0).link);
  EXPECT_EQ(*state(4, 0).extended_state, "No cable");
  EXPECT_EQ(*state(0, 1).extended_substate, "No partner detected");
  EXPECT_EQ(*state(3, 99).extended_substate, "substate 99");
  EXPECT_EQ(*state(77, 1).extended_state, "state 77");
  EXPECT_EQ(*state(4, 0).extended_down_count, 7U);
  EXPECT_FALSE(parse_link_state({}).extended_state);
}

TEST(EthtoolParse, fec_totals_are_element_zero_and_empty_means_unsupported) {
  const std::string lanes = doubles::statistic_values_bytes({100, 60, 40});
  const std::string message =
      Attrs()
          .nest(uapi::kEthtoolAFecModes, bitset({50, 51}, nullptr))
          .number(uapi::kEthtoolAFecAuto, std::uint8_t{0})
          .number(uapi::kEthtoolAFecActive, uapi::kLinkModeBitFecRs)
          .nest(uapi::kEthtoolAFecStats,
                Attrs().raw(uapi::kEthtoolAFecStatCorrected, lanes).raw(uapi::kEthtoolAFecStatUncorr, ""))
          .bytes();
  const FecFacts fec = parse_fec(as_bytes_of(message));
  EXPECT_EQ(fec.configured, (std::vector<std::string>{"RS", "BaseR"}));
  EXPECT_EQ(*fec.active, "RS");
  EXPECT_FALSE(*fec.automatic);
  EXPECT_EQ(*fec.corrected_blocks, 100U);
  EXPECT_EQ(fec.uncorrectable_blocks.absent().why, Why::NotSupported);
  EXPECT_FALSE(parse_fec({}).active);
}

TEST(EthtoolParse, pause_and_rings) {
  const PauseFacts pause = parse_pause(as_bytes_of(
      Attrs()
          .number(uapi::kEthtoolAPauseRx, std::uint8_t{1})
          .number(uapi::kEthtoolAPauseTx, std::uint8_t{0})
          .nest(uapi::kEthtoolAPauseStats, Attrs().number(uapi::kEthtoolAPauseStatTxFrames, std::uint64_t{5}))
          .bytes()));
  EXPECT_TRUE(*pause.rx);
  EXPECT_FALSE(*pause.tx);
  EXPECT_FALSE(pause.autoneg);
  EXPECT_EQ(*pause.tx_frames, 5U);
  EXPECT_FALSE(pause.rx_frames);
  const RingFacts rings = parse_rings(as_bytes_of(Attrs().number(uapi::kEthtoolARingsRx, std::uint32_t{1024}).bytes()));
  EXPECT_EQ(*rings.rx, 1024U);
  EXPECT_FALSE(rings.tx_max);
}

TEST(LinkModes, speeds_of_known_bits) {
  EXPECT_EQ(speed_of_link_mode(5), 1000000000U);
  EXPECT_EQ(speed_of_link_mode(38), 100000000000U);
  EXPECT_EQ(speed_of_link_mode(98), 800000000000U);
  EXPECT_EQ(speed_of_link_mode(50), 0U);
  EXPECT_EQ(speed_of_link_mode(6), 0U);
  EXPECT_EQ(speed_of_link_mode(4000), 0U);
}

}  // namespace
}  // namespace roceready
