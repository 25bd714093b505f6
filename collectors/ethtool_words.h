// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roceready {

/// Words of ETHTOOL_LINK_EXT_STATE_* and of its substate, as ethtool prints them; "state N" for a newer one.
[[nodiscard]] std::string link_extended_state(std::uint8_t state);
[[nodiscard]] std::string link_extended_substate(std::uint8_t state, std::uint8_t substate);

/// Word of PORT_*: "TwistedPair", "Fibre", "DirectAttach", "None", "Other"; "port N" for another one.
[[nodiscard]] std::string port_medium(std::uint8_t port);

}  // namespace roceready
