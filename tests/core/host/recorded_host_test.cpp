// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>

#include "core/host/recording.h"

namespace roceready {
namespace {

Answer data(std::string bytes) {
  Answer answer;
  answer.data = std::move(bytes);
  return answer;
}

Answer list(std::vector<std::string> items) {
  Answer answer;
  answer.kind = Answer::Kind::List;
  answer.items = std::move(items);
  return answer;
}

Answer refused(int errno_value) {
  Answer answer;
  answer.kind = Answer::Kind::Refused;
  answer.error = os_error(errno_value, "refused", "here");
  return answer;
}

Bytes bytes(const std::string& text) {
  Bytes out;
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
  return out;
}

/// Three samples; each fact in the samples where it changed.
Recording three_samples() {
  Recording recording;
  recording.info.layout = "raw";
  recording.samples.resize(3);
  recording.samples[0].clock = {{10, 100}, {11, 101}};
  recording.samples[1].clock = {{20, 200}};
  recording.samples[2].clock = {{30, 300}};
  recording.samples[0].answers = {{"sys/class/net/eth0/mtu", data("1500\n")},
                                  {"list/sys/class/net", list({"eth0", "lo"})},
                                  {"link/sys/class/net/eth0/device", data("../x")},
                                  {"ethtool/driver_info/eth0", data("driver")},
                                  {"ethtool/statistics_names/eth0", data("names")},
                                  {"ethtool/statistics_values/eth0", data(std::string(16, '\1'))},
                                  {"netlink/ethtool/pause/eth0", data("pause")},
                                  {"netlink/ethtool/fec/eth0", refused(EOPNOTSUPP)},
                                  {"netlink/rdma/devices", list({"a", "b"})},
                                  {"netlink/rdma/port/mlx5_0/1", data("port")},
                                  {"netlink/rdma/statistics/mlx5_0/1", data("stat")},
                                  {"netlink/dcb/ieee/eth0", data("ieee")},
                                  {"netlink/dcb/dcbx/eth0", data("dcbx")},
                                  {"netlink/route/links", list({"l"})},
                                  {"netlink/route/addresses", list({})},
                                  {"verbs/port_attributes/mlx5_0/1", data("attr")},
                                  {"verbs/gid_table/mlx5_0", data("gids")}};
  recording.samples[1].answers = {{"sys/class/net/eth0/mtu", refused(ENODEV)}};
  recording.samples[2].answers = {{"sys/class/net/eth0/mtu", data("9000\n")}, {"sys/late", data("1")}};
  return recording;
}

TEST(RecordedHost, answers_every_interface_by_its_key) {
  RecordedHost recorded(three_samples());
  Host host = recorded.host();
  EXPECT_EQ(*host.files.read("/sys/class/net/eth0/mtu"), "1500\n");
  EXPECT_EQ(*host.files.list("/sys/class/net"), (std::vector<std::string>{"eth0", "lo"}));
  EXPECT_EQ(*host.files.read_link("/sys/class/net/eth0/device"), "../x");
  EXPECT_EQ(*host.ethtool.driver_info("eth0"), bytes("driver"));
  EXPECT_EQ(*host.ethtool.statistics_names("eth0"), bytes("names"));
  EXPECT_EQ(host.ethtool.statistics_values("eth0", 2)->size(), 16U);
  EXPECT_EQ(*host.ethtool.get("eth0", EthtoolMessage::Pause), bytes("pause"));
  EXPECT_EQ(host.ethtool.get("eth0", EthtoolMessage::Fec).error().code, ErrorCode::NotSupported);
  EXPECT_EQ(*host.rdma.devices(), (std::vector<Bytes>{bytes("a"), bytes("b")}));
  EXPECT_EQ(*host.rdma.port("mlx5_0", 1), bytes("port"));
  EXPECT_EQ(*host.rdma.statistics("mlx5_0", 1), bytes("stat"));
  EXPECT_EQ(*host.dcb.ieee("eth0"), bytes("ieee"));
  EXPECT_EQ(*host.dcb.dcbx("eth0"), bytes("dcbx"));
  EXPECT_EQ(*host.links.links(), std::vector<Bytes>{bytes("l")});
  EXPECT_TRUE(host.links.addresses()->empty());
  EXPECT_EQ(*host.verbs.port_attributes("mlx5_0", 1), bytes("attr"));
  EXPECT_EQ(*host.verbs.gid_table("mlx5_0"), bytes("gids"));
}

TEST(RecordedHost, falls_back_to_the_latest_earlier_sample) {
  const Recording recording = three_samples();
  RecordedHost recorded(recording);
  Host host = recorded.host();
  recorded.select(1);
  EXPECT_EQ(host.files.read("/sys/class/net/eth0/mtu").error().os_error, ENODEV);
  EXPECT_EQ(host.files.list("/sys/class/net")->size(), 2U);
  recorded.select(2);
  EXPECT_EQ(*host.files.read("/sys/class/net/eth0/mtu"), "9000\n");
  EXPECT_EQ(host.files.list("/sys/class/net")->size(), 2U);
  recorded.select(0);
  EXPECT_EQ(*host.files.read("/sys/class/net/eth0/mtu"), "1500\n");
  for (std::size_t sample = 0; sample < 3; ++sample) EXPECT_NE(recording.find(sample, "list/sys/class/net"), nullptr);
}

TEST(RecordedHost, does_not_know_what_was_never_asked) {
  RecordedHost recorded(three_samples());
  Host host = recorded.host();
  const auto answer = host.files.read("/sys/nothing");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::NotRecorded);
  EXPECT_NE(answer.error().text().find("sys/nothing"), std::string::npos);
  EXPECT_EQ(host.files.read("/sys/late").error().code, ErrorCode::NotRecorded) << "it was first asked later";
  recorded.select(2);
  EXPECT_TRUE(host.files.read("/sys/late"));
}

TEST(RecordedHost, refuses_an_answer_of_the_wrong_kind) {
  Recording recording = three_samples();
  recording.samples[0].answers["netlink/route/links"] = data("x");
  recording.samples[0].answers["sys/x"] = list({"x"});
  RecordedHost recorded(recording);
  EXPECT_EQ(recorded.host().links.links().error().code, ErrorCode::Malformed);
  EXPECT_EQ(recorded.host().files.read("/sys/x").error().code, ErrorCode::Malformed);
}

TEST(RecordedHost, keeps_to_the_limit_of_a_read) {
  RecordedHost recorded(three_samples());
  EXPECT_TRUE(recorded.host().files.read("/sys/class/net/eth0/mtu", 5));
  EXPECT_EQ(recorded.host().files.read("/sys/class/net/eth0/mtu", 4).error().code, ErrorCode::Malformed);
}

TEST(RecordedHost, says_changed_where_the_number_of_statistics_differs) {
  RecordedHost recorded(three_samples());
  EXPECT_EQ(recorded.host().ethtool.statistics_values("eth0", 3).error().code, ErrorCode::Changed);
}

TEST(RecordedHost, replays_the_clock_of_the_selected_sample) {
  RecordedHost recorded(three_samples());
  Host host = recorded.host();
  EXPECT_EQ(host.clock.now(), (Instant{10, 100}));
  EXPECT_EQ(host.clock.now(), (Instant{11, 101}));
  EXPECT_EQ(host.clock.now(), (Instant{11, 101}));
  recorded.select(1);
  EXPECT_EQ(host.clock.now(), (Instant{20, 200}));
  recorded.select(0);
  EXPECT_EQ(host.clock.now(), (Instant{10, 100}));
  EXPECT_EQ(RecordedHost(Recording{}).host().clock.now(), Instant{});
}

TEST(RecordingHost, passes_through_and_keeps_what_it_saw) {
  const Recording original = three_samples();
  RecordedHost recorded(original);
  RecordingHost recording(recorded.host());
  Host host = recording.host();
  EXPECT_EQ(host.clock.now(), (Instant{10, 100}));
  host.clock.now();
  EXPECT_EQ(*host.files.read("/sys/class/net/eth0/mtu"), "1500\n");
  EXPECT_TRUE(host.files.list("/sys/class/net"));
  EXPECT_TRUE(host.files.read_link("/sys/class/net/eth0/device"));
  EXPECT_TRUE(host.ethtool.driver_info("eth0"));
  EXPECT_TRUE(host.ethtool.statistics_names("eth0"));
  EXPECT_TRUE(host.ethtool.statistics_values("eth0", 2));
  EXPECT_TRUE(host.ethtool.get("eth0", EthtoolMessage::Pause));
  EXPECT_FALSE(host.ethtool.get("eth0", EthtoolMessage::Fec));
  EXPECT_TRUE(host.rdma.devices());
  EXPECT_TRUE(host.rdma.port("mlx5_0", 1));
  EXPECT_TRUE(host.rdma.statistics("mlx5_0", 1));
  EXPECT_TRUE(host.dcb.ieee("eth0"));
  EXPECT_TRUE(host.dcb.dcbx("eth0"));
  EXPECT_TRUE(host.links.links());
  EXPECT_TRUE(host.links.addresses());
  EXPECT_TRUE(host.verbs.port_attributes("mlx5_0", 1));
  EXPECT_TRUE(host.verbs.gid_table("mlx5_0"));
  const RecordedSample sample = recording.take_sample();
  EXPECT_EQ(sample.answers, original.samples[0].answers);
  EXPECT_EQ(sample.clock, original.samples[0].clock);
}

TEST(RecordingHost, starts_anew_with_each_sample) {
  const Recording original = three_samples();
  RecordedHost recorded(original);
  RecordingHost recording(recorded.host());
  EXPECT_TRUE(recording.host().files.read("/sys/class/net/eth0/mtu"));
  EXPECT_EQ(recording.take_sample().answers.size(), 1U);
  const RecordedSample empty = recording.take_sample();
  EXPECT_TRUE(empty.answers.empty());
  EXPECT_EQ(empty.clock.size(), 1U) << "every sample has a reading of the clock";
}

TEST(EthtoolMessage, has_the_name_that_keys_use) {
  EXPECT_STREQ(name_of(EthtoolMessage::LinkInfo), "link_info");
  EXPECT_STREQ(name_of(EthtoolMessage::LinkModes), "link_modes");
  EXPECT_STREQ(name_of(EthtoolMessage::LinkState), "link_state");
  EXPECT_STREQ(name_of(EthtoolMessage::Rings), "rings");
}

}  // namespace
}  // namespace roceready
