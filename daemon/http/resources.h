// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/http/message.h"

namespace roceready::daemon::http {

// Resources: functions from a request to a response, each in the file of its name. routes.cpp is the table.
[[nodiscard]] Response page(const Request& request, const Site& site);
[[nodiscard]] Response metrics(const Request& request, const Site& site);
[[nodiscard]] Response diagnose(const Request& request, const Site& site);
[[nodiscard]] Response healthz(const Request& request, const Site& site);
[[nodiscard]] Response readyz(const Request& request, const Site& site);
[[nodiscard]] Response snapshot(const Request& request, const Site& site);
[[nodiscard]] Response ports(const Request& request, const Site& site);
[[nodiscard]] Response incidents(const Request& request, const Site& site);
[[nodiscard]] Response rules_list(const Request& request, const Site& site);
[[nodiscard]] Response rule_by_id(const Request& request, const Site& site);
[[nodiscard]] Response probes(const Request& request, const Site& site);
[[nodiscard]] Response probe_session(const Request& request, const Site& site);
[[nodiscard]] Response config(const Request& request, const Site& site);

}  // namespace roceready::daemon::http
