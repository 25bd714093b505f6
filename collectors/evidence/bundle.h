// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/split.h"
#include "core/snapshot/snapshot.h"

namespace roceready::evidence {

/// What the files say of one host.
struct HostEvidence {
  std::string name;                      ///< "" where no file tells
  std::vector<Snapshot> snapshots;       ///< oldest first, at least one
  Draft draft;                           ///< of the newest: where its facts stand
  std::vector<std::string> assumptions;  ///< sentences: what the files do not say and was taken for granted
  std::vector<std::string> formats;      ///< names of the formats that were read, sorted
  bool interval_unknown = false;         ///< counters at several moments, but nothing says how long lies between
};

/// What a person says of the files.
struct BundleOptions {
  std::int64_t interval_ns = 0;  ///< between two moments; 0: by the files
  std::string device;            ///< RDMA device that nameless outputs are of; "" by the files
};

/// Files of people, taken in one by one and in the end put together as hosts.
/// Shape: of each file only the lines that some format knows are kept, at most kMostBytes in all.
/// Threads: one caller.
class Bundle {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20, kMostHosts = 64, kMostMoments = 600;

  /// Takes in a file, piece by piece between begin and end. `name` is its path within what was given; a file of a
  /// copied /sys or /proc tree is taken as its value. `modified_wall_ns`: its time stamp, 0 where none means anything.
  void begin(std::string_view name, std::int64_t modified_wall_ns);
  void feed(std::string_view piece);
  void end();
  /// A whole text at once.
  void add(std::string_view name, std::string_view text, std::int64_t modified_wall_ns);
  /// A file that was not read as a whole.
  void skip(std::string name, std::string why);

  /// Puts together what was taken in; empty where no format knew a line. Several hosts are sorted by name.
  [[nodiscard]] std::vector<HostEvidence> finish(const BundleOptions& options);

  struct Skipped {
    std::string file, why;
  };
  [[nodiscard]] const std::vector<Skipped>& skipped() const { return skipped_; }
  /// Lines that no format knew; parsers' own are in the drafts.
  [[nodiscard]] const std::vector<UnreadLine>& unread() const { return unread_; }
  [[nodiscard]] std::uint64_t unread_count() const { return unread_count_; }
  [[nodiscard]] std::uint64_t read_count() const { return read_count_; }
  [[nodiscard]] std::size_t files() const { return files_; }

 private:
  struct Open {
    FileFacts facts;
    std::unique_ptr<Splitter> splitter;
    std::optional<std::string> kernel_path;
    std::string value;  ///< of a kernel's file
  };
  void keep(Split taken, const std::string& file);
  void leave_out(const Section& section, const std::string& why);

  std::optional<Open> open_;
  std::vector<Section> sections_;
  std::vector<Skipped> skipped_;
  std::vector<UnreadLine> unread_;
  std::uint64_t unread_count_ = 0, read_count_ = 0;
  std::size_t files_ = 0, bytes_ = 0;
};

}  // namespace roceready::evidence
