// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roceready::probes::cm {

/// Reason of a rejection as it comes over the wire (fact rdma-cm-rejections), in words.
[[nodiscard]] std::string rejection_words(int reason);
/// Whether a rejection is the word of a connection manager that was well reached: the program behind it does not want
/// the call, does not listen, or has no room. It says nothing of the path.
[[nodiscard]] bool is_peers_own_word(int reason);

}  // namespace roceready::probes::cm
