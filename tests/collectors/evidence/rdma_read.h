// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/split.h"

namespace roceready::evidence_test {

/// Facts of a text: taken apart, each section read by the parser of the format it was recognised as.
inline evidence::Draft read_text(std::string_view text, evidence::FileFacts file = {}) {
  if (file.name.empty()) file.name = "sent.txt";
  evidence::Draft draft;
  const evidence::Split split = evidence::split(text, file);
  for (const evidence::Section& section : split.sections) section.format->parse(section, draft);
  evidence::Section stray;
  stray.file = file.name;
  for (const evidence::UnreadLine& line : split.unread) draft.unread(stray, {line.number, line.text}, line.why);
  evidence::complete_gid_tables(draft.snapshot(), draft);
  return draft;
}

/// Names of the formats of a text's sections: "rdma link,ibv_devices".
inline std::string formats_of(std::string_view text) {
  std::string out;
  evidence::FileFacts file;
  file.name = "sent.txt";
  for (const evidence::Section& section : evidence::split(text, file).sections)
    out += (out.empty() ? "" : ",") + std::string(section.format->name);
  return out;
}

/// A parser must live with every cut of its output: at each byte at the end, at each line at the begin, without each
/// single line.
inline void cut_everywhere(const std::string& text) {
  for (std::size_t end = 0; end < text.size(); end += 3) static_cast<void>(read_text(text.substr(0, end)));
  for (std::size_t from = text.find('\n'); from != std::string::npos; from = text.find('\n', from + 1)) {
    static_cast<void>(read_text(text.substr(from)));
    const std::size_t next = std::min(text.find('\n', from + 1), text.size());
    static_cast<void>(read_text(text.substr(0, from) + text.substr(next)));
  }
}

/// The first log fact of a kind, nullptr where there is none.
inline const LogFact* fact_of(const evidence::Draft& draft, std::string_view kind) {
  for (const LogFact& fact : draft.snapshot().log) {
    if (fact.kind == kind) return &fact;
  }
  return nullptr;
}

}  // namespace roceready::evidence_test
