// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roceready::daemon {

/// Tells the service manager (sd_notify protocol: one datagram to $NOTIFY_SOCKET). Does nothing without one; a failure
/// changes nothing for us.
void notify_service_manager(const std::string& state);
/// RELOADING=1 with the time that Type=notify-reload asks for.
void notify_reloading();

}  // namespace roceready::daemon
