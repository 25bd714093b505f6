// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roceready::probes::cm {

/// Reason of a rejection as it comes over the wire (fact rdma-cm-rejections), in words.
[[nodiscard]] std::string rejection_words(int reason);
/// Whether a rejection is the word of a connection manager that was well reached, whatever comes with it: it has no
/// room, or knows the call already. It says nothing of the path. Not so 8, which is also the word of a wrong host, and
/// 28, which the peer's kernel says of itself where it finds no route back (fact rdma-cm-route-back): those are a
/// program's word only where private data proves it.
[[nodiscard]] bool is_peers_own_word(int reason);

}  // namespace roceready::probes::cm
