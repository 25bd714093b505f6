// SPDX-License-Identifier: Apache-2.0
#include "collectors/qos_setters.h"

#include <gtest/gtest.h>

#include "tests/doubles/fake_host.h"

namespace roceready {
namespace {

using Names = std::vector<std::string>;

TEST(QosSetters, are_recognised_by_a_word_outside_of_comments) {
  EXPECT_EQ(qos_word("[Service]\nExecStart=/usr/bin/mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0\n"), "mlnx_qos");
  EXPECT_EQ(qos_word("ExecStart=/usr/local/bin/Setup-RoCE.sh"), "roce");
  EXPECT_EQ(qos_word("# mlnx_qos was here\n  ; pfc\n"), "");
  EXPECT_EQ(qos_word("ExecStart=/bin/process --epfc"), "") << "inside of another word";
  EXPECT_EQ(qos_word("process; roce"), "roce");
  EXPECT_EQ(qos_word("ExecStart=/usr/bin/roceready daemon --config /etc/roceready/roceready.yaml"), "") << "our own";
  EXPECT_EQ(qos_word("ExecStart=/usr/bin/roceready check && /sbin/roce-setup"), "roce");
  EXPECT_EQ(qos_word(""), "");
  EXPECT_EQ(qos_word(std::string_view("\0\xff\n\n", 4)), "");
}

TEST(QosSetters, are_files_of_the_right_kind_in_the_right_place) {
  doubles::FakeHost machine;
  machine.file("/etc/systemd/system/roce.service", "ExecStart=/sbin/mlnx_qos -i eth0\n");
  machine.file("/etc/systemd/system/roce.timer", "mlnx_qos\n");
  machine.file("/etc/udev/rules.d/90-nic.rules", "RUN+=\"/usr/sbin/dcb pfc set dev eth0 prio-pfc 3:on\"\n");
  machine.file("/etc/udev/rules.d/91-tty.rules", "KERNEL==\"tty\"\n");
  EXPECT_EQ(*read_qos_setters(machine.host().files),
            (Names{"/etc/systemd/system/roce.service (mlnx_qos)", "/etc/udev/rules.d/90-nic.rules (dcb pfc)"}));
}

TEST(QosSetters, are_in_drop_ins_of_units_too) {
  doubles::FakeHost machine;
  machine.entry("/etc/systemd/system", "networking.service.d");
  machine.file("/etc/systemd/system/networking.service.d/roce.conf", "ExecStartPost=/sbin/mlnx_qos -i eth0\n");
  machine.file("/etc/systemd/system/networking.service.d/README", "mlnx_qos\n");
  machine.entry("/etc/udev/rules.d", "x.service.d");
  machine.file("/etc/udev/rules.d/x.service.d/roce.conf", "mlnx_qos\n");
  EXPECT_EQ(*read_qos_setters(machine.host().files),
            Names{"/etc/systemd/system/networking.service.d/roce.conf (mlnx_qos)"});
}

TEST(QosSetters, are_not_this_program_itself) {
  doubles::FakeHost machine;
  machine.file("/etc/systemd/system/roceready.service", "[Unit]\nDescription=RoCE readiness of this node\n");
  machine.entry("/etc/systemd/system", "roceready.service.d");
  machine.file("/etc/systemd/system/roceready.service.d/own.conf", "Environment=NOTE=pfc\n");
  EXPECT_TRUE(read_qos_setters(machine.host().files)->empty());
}

TEST(QosSetters, are_none_where_the_places_are_empty) {
  doubles::FakeHost machine;
  EXPECT_TRUE(read_qos_setters(machine.host().files)->empty());
}

TEST(QosSetters, are_not_none_where_something_could_not_be_read) {
  doubles::FakeHost machine;
  machine.refuse("list/etc/udev/rules.d", EACCES);
  EXPECT_EQ(read_qos_setters(machine.host().files).absent().why, Why::Denied);
  machine.file("/etc/rc.local", "lldptool -T -i eth0\n");
  EXPECT_EQ(*read_qos_setters(machine.host().files), Names{"/etc/rc.local (lldptool)"});
}

TEST(QosSetters, are_searched_for_in_a_bounded_number_of_files) {
  doubles::FakeHost machine;
  for (int k = 0; k < 400; ++k) machine.file("/etc/udev/rules.d/" + std::to_string(1000 + k) + ".rules", "pfc\n");
  EXPECT_EQ(read_qos_setters(machine.host().files)->size(), 128U);
}

TEST(QosSetters, are_not_none_where_files_were_left_out) {
  doubles::FakeHost machine;
  for (int k = 0; k < 128; ++k) machine.file("/etc/udev/rules.d/" + std::to_string(1000 + k) + ".rules", "tty\n");
  EXPECT_EQ(read_qos_setters(machine.host().files).absent().why, Why::Filtered) << "the plain files come last";
  machine.file("/etc/udev/rules.d/1000.rules", "pfc\n");
  EXPECT_EQ(read_qos_setters(machine.host().files)->size(), 1U);
}

}  // namespace
}  // namespace roceready
