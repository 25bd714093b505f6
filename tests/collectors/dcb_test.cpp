// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "collectors/dcb_parse.h"
#include "collectors/dscp_map.h"
#include "tests/collectors/bytes_of.h"
#include "tests/doubles/netlink_builder.h"

namespace roceready {
namespace {

using doubles::Attrs;

TEST(DcbParse, reads_the_whole_state) {
  std::string pfc = doubles::pfc_struct(8);
  doubles::put_at(pfc, uapi::kIeeePfcDelay, std::uint16_t{7});
  doubles::put_at(pfc, uapi::kIeeePfcRequests + 24, std::uint64_t{11});
  doubles::put_at(pfc, uapi::kIeeePfcIndications + 24, std::uint64_t{12});
  std::string ets(uapi::kIeeeEtsSize + 5, '\0');
  ets[uapi::kIeeeEtsCap] = 8;
  ets[uapi::kIeeeEtsTcTxBw + 3] = 50;
  ets[uapi::kIeeeEtsTcTsa + 3] = 2;
  ets[uapi::kIeeeEtsPrioTc + 3] = 3;
  std::string buffer(uapi::kDcbBufferSize, '\0');
  doubles::put_at(buffer, uapi::kDcbBufferSizes + 4, std::uint32_t{262144});
  doubles::put_at(buffer, uapi::kDcbBufferTotal, std::uint32_t{400000});
  const std::string message =
      Attrs()
          .nest(uapi::kDcbAttrIeee, Attrs()
                                        .raw(uapi::kDcbAttrIeeePfc, pfc)
                                        .raw(uapi::kDcbAttrIeeeEts, ets)
                                        .raw(uapi::kDcbAttrIeeeBuffer, buffer)
                                        .nest(uapi::kDcbAttrIeeeAppTable,
                                              Attrs()
                                                  .raw(uapi::kDcbAttrAppTableIeeeApp, doubles::app_struct({5, 26, 3}))
                                                  .raw(99, "ignored")
                                                  .raw(uapi::kDcbAttrAppTableDcbApp, doubles::app_struct({255, 3, 4}))))
          .bytes();
  const DcbFacts dcb = parse_ieee(as_bytes_of(message));
  ASSERT_TRUE(dcb.pfc);
  EXPECT_TRUE(dcb.pfc->on(3));
  EXPECT_FALSE(dcb.pfc->on(4));
  EXPECT_EQ(*dcb.pfc->delay, 7U);
  EXPECT_EQ((*dcb.pfc->requests)[3], 11U);
  EXPECT_EQ((*dcb.pfc->indications)[3], 12U);
  EXPECT_EQ(dcb.ets->bandwidth_percent[3], 50U);
  EXPECT_EQ(dcb.ets->algorithm[3], 2U);
  EXPECT_EQ(dcb.ets->priority_to_class[3], 3U);
  EXPECT_EQ(dcb.buffers->size_bytes[1], 262144U);
  EXPECT_EQ(*dcb.buffers->total_bytes, 400000U);
  EXPECT_EQ(*dcb.app, (std::vector<AppEntry>{{5, 26, 3}, {255, 3, 4}}));
  EXPECT_EQ(dcb.dcbx.absent().why, Why::NotPresent);
}

TEST(DcbParse, rate_limits_are_bits_a_second_and_absurd_ones_do_not_wrap) {
  std::string rates(uapi::kIeeeMaxRateSize, '\0');
  rates[3 * 8] = 100;  // kilobits a second, on a little-endian machine
  for (std::size_t i = 0; i < 8; ++i) rates[4 * 8 + i] = '\xff';
  const std::string message = Attrs().nest(uapi::kDcbAttrIeee, Attrs().raw(uapi::kDcbAttrIeeeMaxRate, rates)).bytes();
  const DcbFacts dcb = parse_ieee(as_bytes_of(message));
  ASSERT_TRUE(dcb.max_rate);
  EXPECT_EQ((*dcb.max_rate)[0], 0U);
  EXPECT_EQ((*dcb.max_rate)[3], 100'000U);
  EXPECT_EQ((*dcb.max_rate)[4], UINT64_MAX);
  EXPECT_EQ(parse_ieee({}).max_rate.absent().why, Why::NotPresent);
  const std::string cut = Attrs().nest(uapi::kDcbAttrIeee, Attrs().raw(uapi::kDcbAttrIeeeMaxRate, "x")).bytes();
  EXPECT_EQ(parse_ieee(as_bytes_of(cut)).max_rate.absent().why, Why::Malformed);
}

TEST(DcbParse, what_is_missing_is_absent_and_what_is_short_is_malformed) {
  EXPECT_EQ(parse_ieee({}).pfc.absent().why, Why::NotPresent);
  EXPECT_EQ(parse_ieee({}).app.absent().why, Why::NotPresent);
  const std::string message = Attrs()
                                  .nest(uapi::kDcbAttrIeee, Attrs()
                                                                .raw(uapi::kDcbAttrIeeePfc, std::string(135, '\xff'))
                                                                .raw(uapi::kDcbAttrIeeeEts, "")
                                                                .nest(uapi::kDcbAttrIeeeAppTable,
                                                                      Attrs().raw(uapi::kDcbAttrAppTableIeeeApp, "x")))
                                  .number(uapi::kDcbAttrDcbx, std::uint8_t{6})
                                  .bytes();
  const DcbFacts dcb = parse_ieee(as_bytes_of(message));
  EXPECT_EQ(dcb.pfc.absent().why, Why::Malformed);
  EXPECT_EQ(dcb.ets.absent().why, Why::Malformed);
  EXPECT_EQ(dcb.app.absent().why, Why::Malformed);
  EXPECT_EQ(*dcb.dcbx, 6U);
}

DcbFacts with(const Reading<std::vector<AppEntry>>& app, const Reading<std::uint32_t>& dcbx = std::uint32_t{9}) {
  DcbFacts dcb;
  dcb.app = app;
  dcb.dcbx = dcbx;
  return dcb;
}

TEST(Trust, follows_the_file_then_the_vendors_rule) {
  const VendorTable* mlx5 = vendor_of_netdev("mlx5_core");
  ASSERT_NE(mlx5, nullptr);
  const Reading<std::string> no_file = Absent{Why::NotPresent, ""};
  const Reading<std::vector<AppEntry>> none = std::vector<AppEntry>{{3, 4791, 3}},
                                       some = std::vector<AppEntry>{{5, 26, 3}};
  EXPECT_EQ(*derive_trust(std::string("pcp"), mlx5, with(some)), "pcp");
  EXPECT_EQ(*derive_trust(no_file, mlx5, with(some)), "dscp");
  EXPECT_EQ(*derive_trust(no_file, mlx5, with(none)), "pcp");
  EXPECT_EQ(derive_trust(no_file, nullptr, with(some)).absent().why, Why::NotPresent)
      << "a driver without a table may show it";
  EXPECT_EQ(derive_trust(no_file, &generic_table(), with(some)).absent().why, Why::NotSupported);
  EXPECT_EQ(derive_trust(no_file, mlx5, with(Absent{Why::Denied, ""})).absent().why, Why::Denied);
  EXPECT_EQ(derive_trust(Absent{Why::Denied, ""}, mlx5, with(some)).absent().why, Why::Denied);
  EXPECT_EQ(derive_trust(Absent{Why::NotSupported, ""}, mlx5, with(some)).absent().why, Why::Malformed)
      << "a refused file is no proof that the driver never shows it";
}

TEST(Trust, of_ice_is_shown_while_the_host_manages_dcb) {
  const VendorTable* ice = vendor_of_netdev("ice");
  const Reading<std::string> no_file = Absent{Why::NotPresent, ""};
  const Reading<std::vector<AppEntry>> some = std::vector<AppEntry>{{5, 26, 3}};
  EXPECT_EQ(*derive_trust(no_file, ice, with(some)), "dscp");
  EXPECT_EQ(*derive_trust(no_file, ice, with(std::vector<AppEntry>{})), "pcp");
  EXPECT_EQ(derive_trust(no_file, ice, with(some, std::uint32_t{2 | 8})).absent().why, Why::NotPresent)
      << "the firmware's agent wrote what its peer said";
  EXPECT_EQ(derive_trust(no_file, ice, with(some, Absent{Why::Denied, ""})).absent().why, Why::Denied);
}

TEST(Trust, of_bnxt_and_ionic_can_never_be_shown) {
  const Reading<std::string> no_file = Absent{Why::NotPresent, ""};
  for (const char* driver : {"bnxt_en", "ionic"})
    EXPECT_EQ(derive_trust(no_file, vendor_of_netdev(driver), with(std::vector<AppEntry>{{5, 26, 3}})).absent().why,
              Why::NotSupported)
        << driver;
}

TEST(HiddenFacts, are_what_the_table_says_and_nothing_else) {
  const auto settled = [](const char* driver, Why why) {
    DcbFacts dcb;
    dcb.pfc = Absent{why, "as the kernel said"};
    dcb.buffers = Absent{why, "as the kernel said"};
    settle_hidden(vendor_of_netdev(driver), dcb);
    return std::pair(dcb.pfc.absent().why, dcb.buffers.absent().why);
  };
  EXPECT_EQ(settled("ionic", Why::NotSupported), std::pair(Why::NotSupported, Why::NotSupported));
  EXPECT_EQ(settled("ionic", Why::Denied), std::pair(Why::Denied, Why::Denied)) << "a refusal hides what it would say";
  EXPECT_EQ(settled("ionic", Why::TimedOut), std::pair(Why::TimedOut, Why::TimedOut));
  EXPECT_EQ(settled("bnxt_en", Why::NotSupported), std::pair(Why::Malformed, Why::NotSupported));
  EXPECT_EQ(settled("mlx5_core", Why::NotSupported), std::pair(Why::Malformed, Why::Malformed));
  EXPECT_EQ(settled("unheard_of", Why::NotSupported), std::pair(Why::Malformed, Why::Malformed));
}

TEST(DscpMap, lays_the_app_table_over_the_vendors_default) {
  const VendorTable* mlx5 = vendor_of_netdev("mlx5_core");
  const Reading<std::string> dscp = std::string("dscp");
  const auto map =
      derive_dscp_map(dscp, mlx5, std::vector<AppEntry>{{5, 26, 5}, {5, 26, 4}, {5, 64, 1}, {5, 3, 9}, {1, 48, 7}});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->size(), 64U);
  EXPECT_EQ((*map)[26], 5U);
  EXPECT_EQ((*map)[27], 3U);
  EXPECT_EQ((*map)[48], 6U);
  EXPECT_EQ((*map)[3], 0U);
  EXPECT_EQ(derive_dscp_map(dscp, mlx5, Absent{Why::TimedOut, ""}).absent().why, Why::TimedOut);
  EXPECT_EQ(derive_dscp_map(std::string("pcp"), mlx5, std::vector<AppEntry>{}).absent().why, Why::NotPresent);
  EXPECT_EQ(derive_dscp_map(dscp, nullptr, std::vector<AppEntry>{{5, 26, 3}}).absent().why, Why::NotPresent);
  const Reading<std::vector<AppEntry>> refused = Absent{Why::NotSupported, ""};
  EXPECT_EQ(derive_dscp_map(Absent{}, vendor_of_netdev("ionic"), refused).absent().why, Why::NotSupported);
  EXPECT_EQ(derive_dscp_map(dscp, mlx5, refused).absent().why, Why::Malformed);
}

}  // namespace
}  // namespace roceready
