// SPDX-License-Identifier: Apache-2.0
#include "collectors/ethtool_words.h"

#include <array>
#include <span>

#include "collectors/uapi.h"

namespace roceready {
namespace {

constexpr std::array kStates{
    "Autoneg",     "Link training failure", "Logical mismatch",    "Bad signal integrity",  "No cable",
    "Cable issue", "EEPROM issue",          "Calibration failure", "Power budget exceeded", "Overheat",
    "Module"};

// Substates count from 1. Source: linux/ethtool.h, enum ethtool_link_ext_substate_*.
constexpr std::array kAutoneg{"No partner detected",          "Ack not received",
                              "Next page exchange failed",    "No partner detected during force mode",
                              "FEC mismatch during override", "No HCD"};
constexpr std::array kTraining{"KR frame lock not acquired", "KR link inhibit timeout",
                               "KR Link partner did not set receiver ready", "Remote side is not ready yet"};
constexpr std::array kMismatch{"PCS did not acquire block lock", "PCS did not acquire AM lock",
                               "PCS did not get align_status", "FC FEC is not locked", "RS FEC is not locked"};
constexpr std::array kSignal{"Large number of physical errors", "Unsupported rate", "Serdes reference clock lost",
                             "Serdes ALOS"};
constexpr std::array kCable{"Unsupported cable", "Cable test failure"};
constexpr std::array kModule{"CMIS module is not in ModuleReady state"};

std::span<const char* const> substates_of(std::uint8_t state) {
  switch (state) {
    case uapi::kLinkExtAutoneg:
      return kAutoneg;
    case uapi::kLinkExtTrainingFailure:
      return kTraining;
    case uapi::kLinkExtLogicalMismatch:
      return kMismatch;
    case uapi::kLinkExtBadSignalIntegrity:
      return kSignal;
    case uapi::kLinkExtCableIssue:
      return kCable;
    case uapi::kLinkExtModule:
      return kModule;
    default:
      return {};
  }
}

}  // namespace

std::string link_extended_state(std::uint8_t state) {
  return state < kStates.size() ? kStates[state] : "state " + std::to_string(state);
}

std::string link_extended_substate(std::uint8_t state, std::uint8_t substate) {
  const auto words = substates_of(state);
  return substate >= 1 && substate <= words.size() ? words[substate - 1U] : "substate " + std::to_string(substate);
}

std::string port_medium(std::uint8_t port) {
  switch (port) {
    case uapi::kPortTp:
      return "TwistedPair";
    case uapi::kPortAui:
      return "AUI";
    case uapi::kPortMii:
      return "MII";
    case uapi::kPortFibre:
      return "Fibre";
    case uapi::kPortBnc:
      return "BNC";
    case uapi::kPortDa:
      return "DirectAttach";
    case uapi::kPortNone:
      return "None";
    case uapi::kPortOther:
      return "Other";
    default:
      return "port " + std::to_string(port);
  }
}

}  // namespace roceready
