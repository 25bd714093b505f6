// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "collectors/evidence/section.h"

namespace roceready::evidence {

/// Outputs by the host that they are of; "" where no file tells.
struct Hosts {
  std::map<std::string, std::vector<Section>> sections;
  std::map<std::string, std::string> notes;  ///< by host: why its files are taken for a host of their own
  std::vector<Section> left_out;             ///< of more hosts than `most`
};
/// By what the outputs say. Else by the folder, where the same output lies in several and none says when it was made;
/// else by the file, where two loose ones tell settings of one port differently, or have names like gpu01 and gpu02, or
/// nodeA and nodeB. Outputs that tell no host are of the only one that is told; a pod or a container is no such
/// one.
[[nodiscard]] Hosts hosts_of(std::vector<Section> sections, std::size_t most);

/// Whether one of them says something else than the other, rather than less.
[[nodiscard]] bool contradict(const Section& a, const Section& b);

/// Outputs of one command for one port in one file that tell a lasting setting differently, with nothing between that
/// says why: a sentence for each pair, at most ten.
[[nodiscard]] std::vector<std::string> contradictions_in(const std::vector<Section>& sections);

/// Takes out the outputs of one port that name nobody and that one file holds several times without a word about when:
/// they may be of several ports. Alike ones are one.
[[nodiscard]] std::vector<Section> take_out_indistinct(std::vector<Section>& sections);

}  // namespace roceready::evidence
