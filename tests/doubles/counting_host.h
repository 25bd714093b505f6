// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/host/answer_key.h"
#include "core/host/host.h"

namespace roceready::doubles {

/// Passes every question through and counts it under its key (core/host/recording.h).
class CountingHost : private Files,
                     private Ethtool,
                     private RdmaNetlink,
                     private Dcb,
                     private Links,
                     private VerbsFacts,
                     private ProbeResults {
 public:
  explicit CountingHost(Host inner) : inner_(inner) {}
  [[nodiscard]] Host host() { return {*this, *this, *this, *this, *this, *this, *this, inner_.clock}; }
  [[nodiscard]] const std::map<std::string, std::size_t>& asked() const { return asked_; }
  [[nodiscard]] std::size_t total() const {
    std::size_t out = 0;
    for (const auto& [key, count] : asked_) out += count;
    return out;
  }
  void forget() { asked_.clear(); }

 private:
  void note(const std::string& key) { ++asked_[key]; }

  Result<std::string> read(const std::string& path, std::size_t limit) override {
    return note(answer_key::file(path)), inner_.files.read(path, limit);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return note(answer_key::list(path)), inner_.files.list(path);
  }
  Result<std::string> read_link(const std::string& path) override {
    return note(answer_key::link(path)), inner_.files.read_link(path);
  }
  Result<Bytes> driver_info(const std::string& netdev) override {
    return note(answer_key::ethtool("driver_info", netdev)), inner_.ethtool.driver_info(netdev);
  }
  Result<Bytes> statistics_names(const std::string& netdev) override {
    return note(answer_key::ethtool("statistics_names", netdev)), inner_.ethtool.statistics_names(netdev);
  }
  Result<Bytes> statistics_values(const std::string& netdev, std::size_t count) override {
    return note(answer_key::ethtool("statistics_values", netdev)), inner_.ethtool.statistics_values(netdev, count);
  }
  Result<Bytes> pfc_prevention_timeout(const std::string& netdev) override {
    return note(answer_key::ethtool("pfc_prevention_timeout", netdev)), inner_.ethtool.pfc_prevention_timeout(netdev);
  }
  Result<Bytes> get(const std::string& netdev, EthtoolMessage message) override {
    return note(answer_key::ethtool(message, netdev)), inner_.ethtool.get(netdev, message);
  }
  Result<Bytes> module_eeprom(const std::string& netdev, const ModulePart& part) override {
    return note(answer_key::module_eeprom(netdev, part)), inner_.ethtool.module_eeprom(netdev, part);
  }
  Result<std::vector<Bytes>> devices() override { return note(answer_key::kRdmaDevices), inner_.rdma.devices(); }
  Result<Bytes> port(const std::string& device, std::uint32_t number) override {
    return note(answer_key::rdma_port(device, number)), inner_.rdma.port(device, number);
  }
  Result<Bytes> statistics(const std::string& device, std::uint32_t number) override {
    return note(answer_key::rdma_statistics(device, number)), inner_.rdma.statistics(device, number);
  }
  Result<Bytes> ieee(const std::string& netdev) override {
    return note(answer_key::dcb_ieee(netdev)), inner_.dcb.ieee(netdev);
  }
  Result<Bytes> dcbx(const std::string& netdev) override {
    return note(answer_key::dcb_dcbx(netdev)), inner_.dcb.dcbx(netdev);
  }
  Result<std::vector<Bytes>> links() override { return note(answer_key::kLinks), inner_.links.links(); }
  Result<std::vector<Bytes>> addresses() override { return note(answer_key::kAddresses), inner_.links.addresses(); }
  Result<std::vector<Bytes>> rules() override { return note(answer_key::kRules), inner_.links.rules(); }
  Result<Bytes> port_attributes(const std::string& device, std::uint32_t number) override {
    return note(answer_key::verbs_port(device, number)), inner_.verbs.port_attributes(device, number);
  }
  Result<Bytes> gid_table(const std::string& device) override {
    return note(answer_key::verbs_gids(device)), inner_.verbs.gid_table(device);
  }
  Result<std::string> results() override { return note(answer_key::kProbeResults), inner_.probes.results(); }

  Host inner_;
  std::map<std::string, std::size_t> asked_;
};

}  // namespace roceready::doubles
