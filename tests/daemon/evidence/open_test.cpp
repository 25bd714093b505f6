// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/open.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "daemon/evidence/judge.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

constexpr char kText[] = "# ethtool -S eth0\nNIC statistics:\n     rx_prio3_pause: 7\n";

class OpenEvidence : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "roceready-evidence-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path write(const std::string& name, const std::string& text) {
    fs::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name, std::ios::binary) << text;
    return directory_ / name;
  }

  struct Member {
    std::string name, text;
    unsigned type = AE_IFREG;
  };
  /// A tar packed by gzip.
  fs::path archive(const std::string& name, const std::vector<Member>& members) {
    struct archive* out = archive_write_new();
    archive_write_add_filter_gzip(out);
    archive_write_set_format_pax_restricted(out);
    archive_write_open_filename(out, (directory_ / name).c_str());
    for (const Member& member : members) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, member.name.c_str());
      archive_entry_set_filetype(entry, member.type);
      archive_entry_set_perm(entry, 0644);
      archive_entry_set_mtime(entry, 1'796'049'415, 0);
      if (member.type == AE_IFLNK)
        archive_entry_set_symlink(entry, member.text.c_str());
      else
        archive_entry_set_size(entry, static_cast<la_int64_t>(member.text.size()));
      archive_write_header(out, entry);
      if (member.type == AE_IFREG) archive_write_data(out, member.text.data(), member.text.size());
      archive_entry_free(entry);
    }
    archive_write_close(out);
    archive_write_free(out);
    return directory_ / name;
  }

  static std::string why_skipped(const evidence::Bundle& bundle, const std::string& file) {
    for (const auto& one : bundle.skipped()) {
      if (one.file.find(file) != std::string::npos) return one.why;
    }
    return {};
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  fs::path directory_;
};

TEST_F(OpenEvidence, reads_files_folders_and_archives_alike) {
  write("folder/deep/statistics.txt", kText);
  const std::string tar = archive("bundle.tgz", {{"top", "", AE_IFDIR}, {"top/statistics.txt", kText}}).string();
  for (const std::string& path : {(directory_ / "folder").string(), tar, write("plain", kText).string()}) {
    evidence::Bundle bundle;
    ASSERT_TRUE(open_evidence({path}, {}, bundle)) << path;
    EXPECT_EQ(bundle.read_count(), 3U) << path;
    EXPECT_TRUE(bundle.skipped().empty()) << path;
  }
}

TEST_F(OpenEvidence, reads_an_archive_within_an_archive_to_a_depth) {
  std::string inner = kText;
  for (int depth = 0; depth < 5; ++depth) {
    const fs::path made = archive("inner.tgz", {{depth == 0 ? "statistics.txt" : "inner.tgz", inner}});
    std::ifstream file(made, std::ios::binary);
    inner.assign(std::istreambuf_iterator<char>(file), {});
    evidence::Bundle bundle;
    ASSERT_TRUE(open_evidence({made.string()}, {}, bundle));
    EXPECT_EQ(bundle.read_count() > 0, depth < 3) << depth;
    EXPECT_EQ(has(why_skipped(bundle, "inner.tgz"), "an archive within 3 others"), depth >= 3) << depth;
  }
}

TEST_F(OpenEvidence, skips_what_is_no_file_and_names_that_lead_out_with_a_reason) {
  const auto path = archive("bad.tgz", {{"../../etc/statistics.txt", kText},
                                        {"/etc/statistics.txt", kText},
                                        {"link.txt", "/etc/shadow", AE_IFLNK},
                                        {"pipe", "", AE_IFIFO},
                                        {"good.txt", kText}});
  evidence::Bundle bundle;
  ASSERT_TRUE(open_evidence({path.string()}, {}, bundle));
  EXPECT_EQ(bundle.read_count(), 3U);
  EXPECT_TRUE(has(why_skipped(bundle, "../../etc"), "leads out"));
  EXPECT_TRUE(has(why_skipped(bundle, "/etc/statistics.txt"), "leads out") ||
              has(why_skipped(bundle, "etc/statistics.txt"), "absolute"));
  EXPECT_EQ(why_skipped(bundle, "link.txt"), "a link");
  EXPECT_EQ(why_skipped(bundle, "pipe"), "a device, socket or pipe");
}

TEST_F(OpenEvidence, does_not_follow_links_or_open_pipes_in_a_folder) {
  write("folder/good.txt", kText);
  fs::create_symlink("/etc/passwd", directory_ / "folder/passwd");
  fs::create_directory_symlink(directory_, directory_ / "folder/loop");
  ASSERT_EQ(::mkfifo((directory_ / "folder/pipe").c_str(), 0600), 0);
  evidence::Bundle bundle;
  ASSERT_TRUE(open_evidence({(directory_ / "folder").string()}, {}, bundle));
  EXPECT_EQ(bundle.files(), 1U);
  EXPECT_EQ(why_skipped(bundle, "passwd"), "a link");
  EXPECT_EQ(why_skipped(bundle, "loop"), "a link");
  EXPECT_EQ(why_skipped(bundle, "pipe"), "a device, socket or pipe");
  EXPECT_FALSE(open_evidence({(directory_ / "folder/pipe").string()}, {}, bundle));
}

TEST_F(OpenEvidence, leaves_binary_noise_pictures_and_utf_16_with_a_reason) {
  write("f/noise", std::string(5000, '\0') + "x");
  write("f/picture.png", "\x89PNG\r\n rest");
  write("f/windows.txt", std::string("\xff\xfe"
                                     "d\0r\0",
                                     6));
  write("f/good.txt", kText);
  evidence::Bundle bundle;
  ASSERT_TRUE(open_evidence({(directory_ / "f").string()}, {}, bundle));
  EXPECT_EQ(why_skipped(bundle, "noise"), "binary");
  EXPECT_TRUE(has(why_skipped(bundle, "picture"), "picture"));
  EXPECT_TRUE(has(why_skipped(bundle, "windows"), "UTF-16"));
  EXPECT_EQ(bundle.read_count(), 3U);
}

TEST_F(OpenEvidence, stops_at_its_limits_and_keeps_what_it_read) {
  const auto bomb =
      archive("bomb.tgz", {{"a.txt", kText}, {"b.txt", std::string(std::size_t{70} << 20, 'x')}, {"c.txt", kText}});
  OpenLimits limits;
  limits.archive_ratio = 100;
  evidence::Bundle bundle;
  ASSERT_TRUE(open_evidence({bomb.string()}, limits, bundle));
  EXPECT_TRUE(has(why_skipped(bundle, "b.txt"), "archive bomb"));
  EXPECT_EQ(bundle.read_count(), 3U);

  for (int i = 0; i < 5; ++i) write("many/" + std::to_string(i) + ".txt", kText);
  limits.files = 3;
  evidence::Bundle few;
  ASSERT_TRUE(open_evidence({(directory_ / "many").string()}, limits, few));
  EXPECT_EQ(few.files(), 3U);
  EXPECT_TRUE(has(why_skipped(few, ".txt"), "--max-files"));

  limits = {};
  limits.file_bytes = 40;
  evidence::Bundle begin;
  ASSERT_TRUE(open_evidence({(directory_ / "many/0.txt").string()}, limits, begin));
  EXPECT_TRUE(has(why_skipped(begin, "0.txt"), "--max-file-size"));
}

TEST_F(OpenEvidence, tells_of_a_damaged_archive_after_what_came_before) {
  const auto path =
      archive("cut.tgz", {{"a.txt", kText}, {"b.txt", std::string(100000, 'y') + std::to_string(::getpid())}});
  fs::resize_file(path, fs::file_size(path) / 2);
  evidence::Bundle bundle;
  ASSERT_TRUE(open_evidence({path.string()}, {}, bundle));
  EXPECT_FALSE(bundle.skipped().empty());
}

TEST_F(OpenEvidence, keeps_the_name_of_a_folder_or_archive_that_it_was_given) {
  const std::string root = "sosreport-node17-2026-11-30-abc/";
  write(root + "sos_commands/networking/ethtool_-S_eth0", kText);
  write(root + "proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro\n");
  write(root + "sys/class/net/eth0/mtu", "9000\n");
  for (const std::string& path : {(directory_ / root).string(), (directory_ / root / ".").string()}) {
    EvidenceRequest request;
    request.paths = {path};
    const auto judged = judge_evidence(request);
    ASSERT_TRUE(judged);
    ASSERT_EQ(judged->hosts.size(), 1U) << path;
    EXPECT_EQ(judged->read[0].name, "node17") << path;
  }
  EvidenceRequest two;
  two.paths = {archive("a.tgz", {{"qos.txt", kText}}).string(), archive("b.tgz", {{"qos.txt", kText}}).string()};
  const auto judged = judge_evidence(two);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->hosts.size(), 2U);
}

TEST_F(OpenEvidence, says_which_named_path_is_not_there) {
  evidence::Bundle bundle;
  const auto opened = open_evidence({"/nowhere/at/all"}, {}, bundle);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, "/nowhere/at/all");
}

TEST_F(OpenEvidence, hands_a_bundle_with_nothing_in_it_what_to_collect) {
  EvidenceRequest request;
  request.paths = {write("letter.txt", "Dear all,\nit is slow.\n").string()};
  const auto judged = judge_evidence(request);
  ASSERT_TRUE(judged);
  EXPECT_TRUE(judged->hosts.empty());
  EXPECT_EQ(judged->nothing.lines_unread, 2U);
  EXPECT_FALSE(judged->nothing.ask_for.empty());
}

}  // namespace
}  // namespace roceready::daemon
