// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"hns3"};
constexpr std::string_view kRdmaDrivers[] = {"hns_roce"};

// Groups (CounterRow::group).
constexpr std::uint8_t kVersion2 = 1;  ///< HIP09 and later

// Nobody documents the unit of *_xoff_time, so it is no duration.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "mac_rx_pfc_pri{prio}_pkt_num", CounterId::PfcRxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_tx_pfc_pri{prio}_pkt_num", CounterId::PfcTxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_pfc_pkt_num", CounterId::PfcRxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_tx_pfc_pkt_num", CounterId::PfcTxPauseFramesAllPriorities, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_pfc_pri{prio}_xoff_time", CounterId::PfcRxXoffTimeRaw, 1, 64, Scope::Port, kNoLane, kVersion2},
    {Source::EthtoolStatistics, "mac_tx_pfc_pri{prio}_xoff_time", CounterId::PfcTxXoffTimeRaw, 1, 64, Scope::Port, kNoLane, kVersion2},
    {Source::EthtoolStatistics, "mac_rx_mac_pause_num", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_tx_mac_pause_num", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_pause_xoff_time", CounterId::GlobalPauseRxXoffTimeRaw, 1, 64, Scope::Port, kNoLane, kVersion2},
    {Source::EthtoolStatistics, "mac_tx_pause_xoff_time", CounterId::GlobalPauseTxXoffTimeRaw, 1, 64, Scope::Port, kNoLane, kVersion2},
    {Source::EthtoolStatistics, "mac_rx_control_pkt_num", CounterId::MacControlRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_fcs_err_pkt_num", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_bad_pkt_num", CounterId::RxErrorsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_tx_err_all_pkt_num", CounterId::TxErrorsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_oversize_pkt_num", CounterId::RxOversizePhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_rx_total_oct_num", CounterId::RxBytesPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_tx_total_oct_num", CounterId::TxBytesPhy, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "corrected_blocks", CounterId::FecCorrectedBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::Fec, "uncorrectable_blocks", CounterId::FecUncorrectableBlocks, 1, 64, Scope::Port, kNoLane},
    {Source::RdmaHwCounters, "rx_cnp_pkt", CounterId::CnpReceived, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_cnp_pkt", CounterId::CnpSent, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ecn_doorbell", CounterId::EcnDoorbell, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_pkt", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_pkt", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_err_pkt", CounterId::RxRoceErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_err_pkt", CounterId::TxRoceErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "trp_get_mpt_err_pkt", CounterId::RespMptError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "trp_get_irrl_err_pkt", CounterId::RespIrrlError, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_buffer", CounterId::RdmaRxBuffer, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_rc_pkt", CounterId::RdmaRxRcPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_rc_pkt", CounterId::RdmaTxRcPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_uc_pkt", CounterId::RdmaRxUcPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_uc_pkt", CounterId::RdmaTxUcPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_ud_pkt", CounterId::RdmaRxUdPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_ud_pkt", CounterId::RdmaTxUdPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rx_xrc_pkt", CounterId::RdmaRxXrcPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tx_xrc_pkt", CounterId::RdmaTxXrcPackets, 1, 64, Scope::Function, kNoLane},
    {Source::Debugfs, "cmds_err", CounterId::CmdErrors, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

/// Fact hns3-dscp-mode: a DSCP without an entry is priority 0.
constexpr std::uint8_t kDefaultDscp[64] = {};

}  // namespace

extern const VendorTable kHns;
constinit const VendorTable kHns{.name = "hns",
                                 .netdev_drivers = kNetdevDrivers,
                                 .rdma_drivers = kRdmaDrivers,
                                 .rows = kRows,
                                 .may_lack_hw_counters = true,
                                 .trust = TrustRule::AnyDscpEntry,
                                 .hides = kHidesBuffers | kHidesMaxRate,
                                 .default_dscp_map = kDefaultDscp};

}  // namespace roceready
