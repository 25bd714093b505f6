// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/text.h"

#include <algorithm>

#include "core/base/text.h"

namespace roceready::daemon {
namespace {

std::string counted(std::uint64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string understood(const rules::FilesRead& files) {
  std::string out = counted(files.files, "file") + ", " + counted(files.lines_read, "line") + " understood, " +
                    std::to_string(files.lines_unread) + " not.";
  for (std::size_t i = 0; i < files.formats.size(); ++i) out += (i == 0 ? " Outputs of: " : ", ") + files.formats[i];
  return files.formats.empty() ? out : out + ".";
}

/// At most `most` entries, and how many more there are.
std::string listed(const std::vector<std::string>& entries, std::size_t most, const char* more) {
  std::string out;
  for (std::size_t i = 0; i < entries.size() && i < most; ++i) out += wrapped("  ", clean_text(entries[i]));
  if (entries.size() > most) out += "  and " + std::to_string(entries.size() - most) + " more" + more + "\n";
  return out;
}

constexpr std::size_t kSome = 5, kAll = 100000;

}  // namespace

std::string files_text(const rules::FilesRead& files, const Paint& paint, bool verbose) {
  std::string out = "\n" + paint.ink(Ink::Bold, "FILES") + "\n" + wrapped("  ", understood(files));
  for (const std::string& sentence : files.assumptions) out += wrapped("  assumed: ", sentence + ".");
  if (!files.skipped.empty()) {
    out += "  not read:\n";
    out += listed(files.skipped, verbose ? kAll : kSome, " (--verbose lists them)");
  }
  if (verbose && !files.unread.empty()) {
    out += "  lines that were not understood:\n";
    for (const std::string& line : files.unread) out += "    " + line + "\n";
  }
  if (files.ask_for.empty()) return out;
  out += "\n" + paint.ink(Ink::Bold, "ASK FOR") + "\n";
  for (const std::string& command : files.ask_for) out += "  " + command + "\n";
  return out;
}

std::string nothing_text(const rules::FilesRead& files, bool verbose) {
  std::string out = "UNKNOWN   no score\n";
  out += wrapped("", "Nothing in these files speaks of RoCE: " + understood(files));
  return out + files_text(files, Paint(false), verbose);
}

}  // namespace roceready::daemon
