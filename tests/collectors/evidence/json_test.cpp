// SPDX-License-Identifier: Apache-2.0
// What ip, rdma and ethtool print with -j says what they print without it.
#include <nlohmann/json.hpp>

#include "collectors/evidence/json_lines.h"
#include "core/snapshot/json_write.h"
#include "tests/collectors/evidence/parsed.h"
#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence {
namespace {

using nlohmann::json;

const std::string kLinks =
    R"([{"ifindex":2,"ifname":"eth0","flags":["BROADCAST","MULTICAST","SLAVE","UP","LOWER_UP"],"mtu":9000,)"
    R"("qdisc":"mq","master":"bond0","operstate":"UP","linkmode":"DEFAULT","group":"default","txqlen":1000,)"
    R"("link_type":"ether","address":"02:00:00:00:00:01","broadcast":"ff:ff:ff:ff:ff:ff","promiscuity":0,)"
    R"("min_mtu":68,"max_mtu":9978,"linkinfo":{"info_slave_kind":"bond","info_slave_data":{"state":"ACTIVE",)"
    R"("mii_status":"UP","link_failure_count":0,"perm_hwaddr":"02:00:00:00:00:01","queue_id":0}},)"
    R"("num_tx_queues":8,"phys_port_name":"p0","phys_switch_id":"86a9ad0003a1420c","parentbus":"pci",)"
    R"("parentdev":"0000:3b:00.0","addr_info":[]},)"
    R"({"ifindex":4,"ifname":"bond0","flags":["BROADCAST","MULTICAST","MASTER","UP","LOWER_UP"],"mtu":9000,)"
    R"("qdisc":"noqueue","operstate":"UP","link_type":"ether","address":"02:00:00:00:00:01","promiscuity":0,)"
    R"("linkinfo":{"info_kind":"bond","info_data":{"mode":"802.3ad","miimon":100,)"
    R"("xmit_hash_policy":"layer3+4"}},"addr_info":[{"family":"inet","local":"192.0.2.2","prefixlen":24,)"
    R"("broadcast":"192.0.2.255","scope":"global","label":"bond0","valid_life_time":4294967295},)"
    R"({"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link","tentative":true}]},)"
    R"({"ifindex":5,"link":"bond0","ifname":"bond0.100","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],)"
    R"("mtu":9000,"operstate":"UP","link_type":"ether","address":"02:00:00:00:00:01","promiscuity":0,)"
    R"("linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1Q","id":100,"flags":["REORDER_HDR"],)"
    R"("egress_qos":[{"from":0,"to":3},{"from":4,"to":5}]}},"addr_info":[]}])"
    "\n";
const std::string kPlainLinks =
    "2: eth0: <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 portname p0 switchid 86a9ad0003a1420c "
    "parentbus pci parentdev 0000:3b:00.0\n"
    "    bond_slave state ACTIVE mii_status UP\n"
    "4: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0\n"
    "    bond mode 802.3ad miimon 100 xmit_hash_policy layer3+4\n"
    "    inet 192.0.2.2/24 brd 192.0.2.255 scope global bond0\n"
    "    inet6 fe80::1/64 scope link tentative\n"
    "5: bond0.100@bond0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 state UP\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0\n"
    "    vlan protocol 802.1Q id 100 <REORDER_HDR>\n"
    "      egress-qos-map { 0:3 4:5 }\n";

/// As `ip -d -j -p address` lays it out.
const std::string kPretty =
    "[ {\n"
    "        \"ifindex\": 4,\n"
    "        \"ifname\": \"eth0\",\n"
    "        \"flags\": [ \"BROADCAST\",\"MULTICAST\",\"UP\",\"LOWER_UP\" ],\n"
    "        \"mtu\": 4200,\n"
    "        \"operstate\": \"UP\",\n"
    "        \"link_type\": \"ether\",\n"
    "        \"address\": \"02:00:00:00:00:01\",\n"
    "        \"promiscuity\": 0,\n"
    "        \"parentdev\": \"0000:3b:00.0\",\n"
    "        \"addr_info\": [ {\n"
    "                \"family\": \"inet\",\n"
    "                \"local\": \"192.0.2.2\",\n"
    "                \"prefixlen\": 24,\n"
    "                \"valid_life_time\": 4294967295\n"
    "            },{\n"
    "                \"family\": \"inet6\",\n"
    "                \"local\": \"fd00:db8::2\",\n"
    "                \"prefixlen\": 64,\n"
    "                \"valid_life_time\": 4294967295\n"
    "            } ]\n"
    "    },{\n"
    "        \"ifindex\": 5,\n"
    "        \"link\": \"eth0\",\n"
    "        \"ifname\": \"eth0.100\",\n"
    "        \"flags\": [ \"BROADCAST\",\"UP\",\"LOWER_UP\" ],\n"
    "        \"mtu\": 1500,\n"
    "        \"operstate\": \"UP\",\n"
    "        \"link_type\": \"ether\",\n"
    "        \"address\": \"02:00:00:00:00:02\",\n"
    "        \"promiscuity\": 0,\n"
    "        \"linkinfo\": {\n"
    "            \"info_kind\": \"vlan\",\n"
    "            \"info_data\": {\n"
    "                \"protocol\": \"802.1Q\",\n"
    "                \"id\": 100,\n"
    "                \"flags\": [ \"REORDER_HDR\" ],\n"
    "                \"egress_qos\": [ {\n"
    "                        \"from\": 0,\n"
    "                        \"to\": 3\n"
    "                    },{\n"
    "                        \"from\": 4,\n"
    "                        \"to\": 5\n"
    "                    } ]\n"
    "            }\n"
    "        },\n"
    "        \"addr_info\": [ ]\n"
    "    } ]\n";

const std::string kRdma =
    R"([{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"eth0",)"
    R"("netdev_index":4},{"ifindex":1,"ifname":"mlx5_1","port":1,"state":"DOWN","physical_state":"DISABLED"}])"
    "\n"
    R"([{"ifindex":0,"ifname":"mlx5_0","node_type":"ca","fw":"28.39.1002","node_guid":"0200:0000:0000:0001"}])"
    "\n"
    R"([{"ifindex":0,"ifname":"mlx5_0","pd":2,"cq":3,"qp":1,"cm_id":0,"mr":0,"ctx":1,"srq":2}])"
    "\n"
    R"([{"ifindex":0,"ifname":"mlx5_0","port":1,"rx_write_requests":7,"out_of_buffer":0,"rnr_nak_retry_err":1543},)"
    R"({"ifindex":1,"ifname":"mlx5_1","port":1,"out_of_sequence":12}])"
    "\n";
const std::string kPlainRdma =
    "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0 \n"
    "link mlx5_1/1 state DOWN physical_state DISABLED \n"
    "0: mlx5_0: node_type ca fw 28.39.1002 node_guid 0200:0000:0000:0001\n"
    "0: mlx5_0: pd 2 cq 3 qp 1 cm_id 0 mr 0 ctx 1 srq 2\n"
    "link mlx5_0/1 rx_write_requests 7 out_of_buffer 0 rnr_nak_retry_err 1543 \n"
    "link mlx5_1/1 out_of_sequence 12 \n";

/// What was read, but for where it stands.
json facts(const std::string& text) {
  const evidence::Draft draft = parsed(text).draft;
  json out = write_json(draft.snapshot());
  for (json& fact : out["log"]) fact.erase("text"), fact.erase("place");
  out["hw_counters"] = draft.counters().hw_counters;
  out["statistics"] = draft.counters().statistics;
  return out;
}

TEST(Json, of_ip_says_what_the_plain_output_says) {
  EXPECT_EQ(facts(kLinks).dump(1), facts(kPlainLinks).dump(1));
  EXPECT_TRUE(parsed(kLinks).unread.empty());
  const Parsed out = parsed("$ ip -j -d address\n" + kLinks);
  const Netdev* vlan = out.netdev("bond0.100");
  ASSERT_NE(vlan, nullptr);
  EXPECT_EQ(vlan->link.vlan->egress_qos.at("4"), 5U);
}

TEST(Json, of_rdma_says_what_the_plain_output_says) {
  EXPECT_EQ(facts(kRdma).dump(1), facts(kPlainRdma).dump(1));
  EXPECT_TRUE(parsed(kRdma).unread.empty());
  EXPECT_EQ(parsed(kRdma).draft.counters().hw_counters.at("mlx5_0/1").at("rnr_nak_retry_err"), 1543U);
}

TEST(Json, is_read_in_the_layout_for_people_and_names_the_line_of_each_fact) {
  const Parsed out = parsed(kPretty);
  EXPECT_TRUE(out.unread.empty()) << out.unread.front();
  const Netdev* netdev = out.netdev("eth0");
  ASSERT_NE(netdev, nullptr);
  EXPECT_EQ(netdev->link.mtu.value_or(0), 4200U);
  EXPECT_TRUE(netdev->link.carrier.value_or(false));
  ASSERT_EQ(netdev->link.addresses.size(), 2U);
  EXPECT_EQ(netdev->link.addresses[1].address, "fd00:db8::2");
  EXPECT_EQ(out.draft.place_of("rtnetlink eth0"), "a.txt:3");
  ASSERT_TRUE(out.netdev("eth0.100")->link.vlan);
  EXPECT_EQ(out.netdev("eth0.100")->link.vlan->egress_qos.at("0"), 3U);
  const Parsed counters = parsed(
      "[ {\n        \"ifindex\": 0,\n        \"ifname\": \"mlx5_0\",\n        \"port\": 1,\n"
      "        \"out_of_buffer\": 5,\n        \"out_of_sequence\": 0\n    } ]\n");
  EXPECT_EQ(counters.draft.place_of("RDMA counters of mlx5_0/1", "out_of_buffer"), "a.txt:5");
}

TEST(Json, of_ethtool_s_groups) {
  const Parsed out = parsed(
      "# ethtool --json -S eth0 --groups eth-phy eth-mac rmon\n[ {\n        \"ifname\": \"eth0\",\n"
      "        \"eth-phy\": {\n            \"SymbolErrorDuringCarrier\": 3\n        },\n        \"eth-mac\": {\n"
      "            \"FrameCheckSequenceErrors\": 1,\n            \"AlignmentErrors\": 0\n        },\n"
      "        \"rmon\": {\n            \"rx-pktsNtoM\": [ {\n                    \"low\": 0,\n"
      "                    \"high\": 64,\n                    \"val\": 9\n                } ]\n        }\n    } ]\n");
  ASSERT_EQ(out.formats, std::vector<std::string>{"ethtool -S --groups"});
  EXPECT_TRUE(out.unread.empty());
  const auto& statistics = out.draft.counters().statistics.at("eth0");
  EXPECT_EQ(statistics.at("eth-phy-SymbolErrorDuringCarrier"), 3U);
  EXPECT_EQ(statistics.at("eth-mac-AlignmentErrors"), 0U);
  EXPECT_EQ(statistics.size(), 3U);
}

/// A filter may have dropped the line that names the netdev.
TEST(Json, of_several_lines_never_says_that_there_is_no_netdev) {
  const std::string object = R"([{"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP"}])";
  EXPECT_EQ(parsed(object + "\n").draft.snapshot().ports.at(0).netdev.absent().why, Why::OtherNamespace);
  EXPECT_EQ(parsed("[{\"ifname\":\"mlx5_0\",\"port\":1,\n\"state\":\"ACTIVE\",\n\"physical_state\":\"LINK_UP\"}]\n")
                .draft.snapshot()
                .ports.at(0)
                .netdev.absent()
                .why,
            Why::NotRecorded);
  EXPECT_EQ(parsed(object.substr(0, object.size() - 2)).draft.snapshot().ports.at(0).netdev.absent().why,
            Why::NotRecorded)
      << "it may be cut";
}

TEST(Json, a_number_at_the_cut_is_not_told) {
  EXPECT_FALSE(
      parsed(R"([{"ifindex":4,"ifname":"eth0","flags":["UP"],"operstate":"UP","mtu":90)").netdev("eth0")->link.mtu);
  const Parsed flags = parsed(R"([{"ifindex":4,"ifname":"eth0","mtu":9000,"flags":["BROADCAST","MULTI)");
  EXPECT_EQ(flags.netdev("eth0")->link.mtu.value_or(0), 9000U);
  EXPECT_FALSE(flags.netdev("eth0")->link.admin_up) << "UP may stand behind the cut";
}

TEST(Json, objects_whose_boundary_is_lost_stay_apart) {
  const Parsed out = parsed(
      "\"ifname\": \"mlx5_0\",\n\"port\": 1,\n\"out_of_buffer\": 5,\n\"ifname\": \"mlx5_1\",\n\"port\": 1,\n"
      "\"out_of_buffer\": 7,\n");
  EXPECT_EQ(out.draft.counters().hw_counters.at("mlx5_0/1").at("out_of_buffer"), 5U);
  EXPECT_EQ(out.draft.counters().hw_counters.at("mlx5_1/1").at("out_of_buffer"), 7U);
}

TEST(Json, every_cut_and_missing_line_is_lived_with) {
  expect_no_invention(kPretty);
  expect_no_invention(kLinks + kRdma);
  std::string broken = kLinks;  // a line each, as a web page may show it
  for (auto at = broken.find(','); at != std::string::npos; at = broken.find(',', at + 2)) broken.insert(at + 1, "\n");
  expect_no_invention(broken.substr(0, 2500));
  evidence_test::cut_everywhere(kPretty + kRdma);
}

TEST(Json, longer_than_a_line_is_read_object_by_object) {
  std::string text = "[";
  for (int i = 0; i < 400; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"ifindex":)") + std::to_string(i + 1) + R"(,"ifname":"eth)" +
            std::to_string(i) + R"(","flags":["BROADCAST","UP"],"mtu":9000,"operstate":"UP"})";
  }
  ASSERT_GT(text.size(), kLongestLine * 2);
  for (const std::size_t piece : {std::size_t{1000}, text.size()}) {
    FileFacts file;
    file.name = "a.txt";
    Splitter splitter(file);
    const std::string whole = "ip -j link:\n" + text + "]\nrx_prio3_pause: 12\n";
    for (std::size_t at = 0; at < whole.size(); at += piece) splitter.feed(std::string_view(whole).substr(at, piece));
    const Split out = splitter.finish();
    Draft draft;
    for (const Section& section : out.sections) section.format->parse(section, draft);
    ASSERT_NE(draft.snapshot().netdev("eth399"), nullptr) << piece;
    EXPECT_EQ(draft.snapshot().netdev("eth399")->link.mtu.value_or(0), 9000U);
    EXPECT_EQ(draft.place_of("rtnetlink eth399"), "a.txt:2");
    EXPECT_EQ(draft.place_of("ethtool statistics of "), "a.txt:3");
  }
}

TEST(Json, of_others_is_left_as_it_stands) {
  const std::string text =
      "{\n  \"image\": \"nccl\",\n  \"ports\": [ 1, 2 ]\n}\n[\n]\n{\"level\":\"info\",\"msg\":\"up\"}\n";
  const Parsed out = parsed(text);
  EXPECT_TRUE(out.formats.empty());
  EXPECT_EQ(out.unread.size(), 7U) << "every line is counted";
  // A queue pair is no port, and a nameless object is nobody's.
  EXPECT_TRUE(parsed(R"([{"ifname":"mlx5_0","port":1,"lqpn":4,"state":"RTS","out_of_buffer":5}])"
                     "\n")
                  .draft.snapshot()
                  .ports.empty());
  EXPECT_TRUE(parsed(R"([{"port":1,"out_of_buffer":5}])"
                     "\n")
                  .draft.snapshot()
                  .ports.empty());
}

TEST(Json, of_any_depth_and_length_is_lived_with) {
  static_cast<void>(parsed(std::string(100000, '[') + std::string(100000, ']')));
  static_cast<void>(parsed(std::string(100000, '{') + "\"ifname\":\"eth0\""));
  std::string many = "[{\"ifname\":\"mlx5_0\",\"port\":1\n";
  for (int i = 0; i < 20000; ++i) many += ",\"c" + std::to_string(i) + "\":1\n";
  EXPECT_GE(parsed(many + "}]\n").unread.size(), 1000U);
}

}  // namespace
}  // namespace roceready::evidence
