// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/rejection.h"

#include <algorithm>
#include <array>

namespace roceready::probes::cm {
namespace {

struct Reason {
  int number;
  const char* words;
  bool own_word = false;
};
constexpr std::array kReasons{
    Reason{1, "no queue pair", true},
    Reason{3, "no resources", true},
    Reason{4, "the exchange timed out there"},
    Reason{5, "unsupported request"},
    Reason{6, "invalid communication id"},
    Reason{7, "invalid communication instance"},
    Reason{8, "nobody listens on that service"},
    Reason{9, "invalid transport service type"},
    Reason{10, "stale connection", true},
    Reason{12, "invalid GID"},
    Reason{13, "invalid LID"},
    Reason{14, "invalid service level"},
    Reason{15, "invalid traffic class"},
    Reason{16, "invalid hop limit"},
    Reason{17, "invalid packet rate"},
    Reason{24, "redirected to another port"},
    Reason{26, "invalid path MTU"},
    Reason{27, "insufficient responder resources", true},
    Reason{28, "not taken there"},
    Reason{32, "invalid flow label"},
};

const Reason* find(int number) {
  const auto* const found = std::ranges::find(kReasons, number, &Reason::number);
  return found == kReasons.end() ? nullptr : found;
}

}  // namespace

std::string rejection_words(int reason) {
  const Reason* const known = find(reason);
  return (known == nullptr ? "reason" : known->words) + (" (" + std::to_string(reason) + ")");
}

bool is_peers_own_word(int reason) {
  const Reason* const known = find(reason);
  return known != nullptr && known->own_word;
}

}  // namespace roceready::probes::cm
