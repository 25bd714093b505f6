// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"i40e"};

// Its RDMA side is irdma, in ice.cpp.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "port.rx_priority_{prio}_xoff_rx", CounterId::PfcRxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.rx_priority_{prio}_xon_rx", CounterId::PfcRxXonFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.tx_priority_{prio}_xoff_tx", CounterId::PfcTxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.tx_priority_{prio}_xon_tx", CounterId::PfcTxXonFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.rx_priority_{prio}_xon_2_xoff", CounterId::PfcRxPauseTransitions, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.link_xoff_rx", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.link_xoff_tx", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.rx_discards", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.rx_crc_errors", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.mac_local_faults", CounterId::MacLocalFaults, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.mac_remote_faults", CounterId::MacRemoteFaults, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.illegal_bytes", CounterId::IllegalBytes, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "port.tx_dropped_link_down", CounterId::TxDroppedLinkDown, 1, 64, Scope::Port, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kI40e;
constinit const VendorTable kI40e{.name = "i40e",
                                  .netdev_drivers = kNetdevDrivers,
                                  .rdma_drivers = {},
                                  .rows = kRows,
                                  .hides = kHidesDscpMap | kHidesBuffers | kHidesMaxRate};

}  // namespace roceready
