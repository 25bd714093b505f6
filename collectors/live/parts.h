// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/host/host.h"

/// The pieces of LiveHost, one file each. `root` lies below every path; it is "" on the machine itself.
namespace roceready::live {

[[nodiscard]] std::unique_ptr<Files> make_files(const std::string& root);
[[nodiscard]] std::unique_ptr<Ethtool> make_ethtool();
[[nodiscard]] std::unique_ptr<RdmaNetlink> make_rdma(const std::string& root);
[[nodiscard]] std::unique_ptr<Dcb> make_dcb();
[[nodiscard]] std::unique_ptr<Links> make_links();
[[nodiscard]] std::unique_ptr<VerbsFacts> make_verbs(const std::string& root);
[[nodiscard]] std::unique_ptr<Clock> make_clock();

}  // namespace roceready::live
