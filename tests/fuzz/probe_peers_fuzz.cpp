// SPDX-License-Identifier: Apache-2.0
// Any bytes as an entry of a list and as a file_sd file: what is taken has one canonical form that reads as itself, and
// what is not has a reason.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "probes/peers.h"

namespace {

using namespace roceready::probes;

void check(const PeerList& list) {
  if (list.problem_count < list.problems.size()) std::abort();
  for (const PeerProblem& problem : list.problems)
    if (problem.where.empty() || problem.what.empty()) std::abort();
  for (const PeerAddress& peer : list.peers) {
    const auto again = parse_peer(peer.text());
    if (!again || again->text() != peer.text() || peer.label.size() > 64 || peer.rail.size() > 64) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const PeerList entry = peers_from_list({std::string(text)}, "list");
  if (entry.peers.size() + entry.problems.size() != 1) std::abort();
  check(entry);
  const PeerList file = peers_from_file_sd(text, "file");
  check(file);
  const PeerList all = merge_peers({entry, file, file}, {.hosts = {std::string(text), "10.0.0.1"}});
  check(all);
  for (std::size_t i = 1; i < all.peers.size(); ++i)
    if (all.peers[i - 1].text() >= all.peers[i].text()) std::abort();
  return 0;
}
