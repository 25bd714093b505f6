// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"qede"};
constexpr std::string_view kRdmaDrivers[] = {"qedr"};

// qedr has no usable RDMA counters: every read of counters/ fails, and there are no hw_counters.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "rx_pfc_frames", CounterId::PfcRxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pfc_frames", CounterId::PfcTxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_pause_frames", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_pause_frames", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_mac_crtl_frames", CounterId::MacControlRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_crc_errors", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_carrier_errors", CounterId::RxCarrierErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "brb_discards", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "brb_truncates", CounterId::RxTruncates, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "no_buff_discards", CounterId::RxOutOfBufferEth, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "link_change_count", CounterId::LinkChanges, 1, 32, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "packet_too_big_discard", CounterId::RxMtuErrors, 1, 64, Scope::Port, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kQede;
constinit const VendorTable kQede{.name = "qede",
                                  .netdev_drivers = kNetdevDrivers,
                                  .rdma_drivers = kRdmaDrivers,
                                  .rows = kRows,
                                  .hides = kHidesDscpMap | kHidesBuffers | kHidesMaxRate};

}  // namespace roceready
