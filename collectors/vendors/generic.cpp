// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

// Speeds of the snapshot are transfers per second already, so their scale is 1.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::Carrier, "carrier_down_count", CounterId::CarrierDownEvents, 1, 32, Scope::Port, kNoLane},
    {Source::Carrier, "carrier_changes", CounterId::CarrierChanges, 1, 32, Scope::Port, kNoLane},
    {Source::Pci, "aer_dev_correctable", CounterId::PcieAerCorrectable, 1, 64, Scope::Device, kNoLane},
    {Source::Pci, "aer_dev_nonfatal", CounterId::PcieAerNonfatal, 1, 64, Scope::Device, kNoLane},
    {Source::Pci, "aer_dev_fatal", CounterId::PcieAerFatal, 1, 64, Scope::Device, kNoLane},
    {Source::Pci, "current_link_speed", CounterId::PcieLinkSpeed, 1, 64, Scope::Device, kNoLane},
    {Source::Pci, "current_link_width", CounterId::PcieLinkWidth, 1, 64, Scope::Device, kNoLane},
    {Source::Pause, "tx_pause_storm_events", CounterId::TxPauseStormError, 1, 64, Scope::Port, kNoLane, kWhenPresent},
};
// clang-format on

}  // namespace

extern const VendorTable kGeneric;
constinit const VendorTable kGeneric{.name = "any", .netdev_drivers = {}, .rdma_drivers = {}, .rows = kRows};

}  // namespace roceready
