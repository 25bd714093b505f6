// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

namespace roceready {
namespace {

constexpr std::string_view kNetdevDrivers[] = {"ice"};
constexpr std::string_view kRdmaDrivers[] = {"irdma"};

// Groups (CounterRow::group).
constexpr std::uint8_t kGeneration2 = 1;  ///< E810 and later
constexpr std::uint8_t kGeneration3 = 2;  ///< third generation (IPU E2000)

// A priority's PFC frames are those of its traffic class: all priorities of the class count in unison, so they are
// never added. irdma serves i40e's NICs as well.
// clang-format off
constexpr CounterRow kRows[] = {
    {Source::EthtoolStatistics, "rx_priority_{prio}_xoff.nic", CounterId::PfcRxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_priority_{prio}_xon.nic", CounterId::PfcRxXonFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_priority_{prio}_xoff.nic", CounterId::PfcTxPauseFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_priority_{prio}_xon.nic", CounterId::PfcTxXonFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "link_xoff_rx.nic", CounterId::GlobalPauseRxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "link_xon_rx.nic", CounterId::GlobalPauseRxXonFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "link_xoff_tx.nic", CounterId::GlobalPauseTxFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "link_xon_tx.nic", CounterId::GlobalPauseTxXonFrames, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_dropped.nic", CounterId::RxDiscardsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_dropped", CounterId::RxDiscardsVsi, 1, 64, Scope::Function, kNoLane},
    {Source::EthtoolStatistics, "tx_dropped_link_down.nic", CounterId::TxDroppedLinkDown, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_errors.nic", CounterId::TxErrorsPhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_crc_errors.nic", CounterId::RxCrcErrors, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "illegal_bytes.nic", CounterId::IllegalBytes, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_local_faults.nic", CounterId::MacLocalFaults, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "mac_remote_faults.nic", CounterId::MacRemoteFaults, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_oversize.nic", CounterId::RxOversizePhy, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "rx_jabber.nic", CounterId::RxJabber, 1, 64, Scope::Port, kNoLane},
    {Source::EthtoolStatistics, "tx_timeout.nic", CounterId::TxTimeout, 1, 32, Scope::Function, kNoLane},
    {Source::Fec, "corrected_blocks", CounterId::FecCorrectedBlocks, 1, 32, Scope::Port, kNoLane, 0, true},
    {Source::Fec, "uncorrectable_blocks", CounterId::FecUncorrectableBlocks, 1, 32, Scope::Port, kNoLane, 0, true},
    {Source::RdmaHwCounters, "RxECNMrkd", CounterId::EcnMarkedRx, 1, 64, Scope::Function, kNoLane, kGeneration2},
    {Source::RdmaHwCounters, "cnpSent", CounterId::CnpSent, 1, 64, Scope::Function, kNoLane, kGeneration2},
    {Source::RdmaHwCounters, "cnpHandled", CounterId::CnpHandled, 1, 64, Scope::Function, kNoLane, kGeneration2},
    {Source::RdmaHwCounters, "cnpIgnored", CounterId::CnpIgnored, 1, 64, Scope::Function, kNoLane, kGeneration2},
    {Source::RdmaHwCounters, "ip4InDiscards", CounterId::RdmaRxDiscards, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip6InDiscards", CounterId::RdmaRxDiscardsV6, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip4InTruncatedPkts", CounterId::RdmaRxTruncated, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip4OutNoRoutes", CounterId::RdmaTxNoRoute, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "rxVlanErrors", CounterId::RdmaRxVlanErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "RetransSegs", CounterId::IwarpRetransmittedSegments, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tcpRetransSegs", CounterId::IwarpRetransmittedSegments, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "InProtoErrors", CounterId::IwarpProtocolErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "tcpInProtoErrors", CounterId::IwarpProtocolErrors, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "RxUDP", CounterId::UdpRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "TxUDP", CounterId::UdpTxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "RNR sent", CounterId::RnrNakSent, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "RNR received", CounterId::RnrNakReceived, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "Nak Sequence Error", CounterId::PacketSeqErr, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "Nak Sequence Error Implied", CounterId::ImpliedNak, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "RTO", CounterId::LocalAckTimeout, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "Rcvd Out of order packets", CounterId::OutOfSequence, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "CRC errors", CounterId::RxIcrcErrors, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "ord limit count", CounterId::OrdLimit, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "ird limit count", CounterId::IrdLimit, 1, 64, Scope::Function, kNoLane, kGeneration3},
    {Source::RdmaHwCounters, "InRdmaReads", CounterId::RdmaInReads, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "iwInRdmaReads", CounterId::RdmaInReads, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "InRdmaWrites", CounterId::RdmaInWrites, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "iwInRdmaWrites", CounterId::RdmaInWrites, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "InRdmaSends", CounterId::RdmaInSends, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "iwInRdmaSends", CounterId::RdmaInSends, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "OutRdmaReads", CounterId::RdmaOutReads, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "iwOutRdmaReads", CounterId::RdmaOutReads, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "OutRdmaWrites", CounterId::RdmaOutWrites, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "iwOutRdmaWrites", CounterId::RdmaOutWrites, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "OutRdmaSends", CounterId::RdmaOutSends, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "iwOutRdmaSends", CounterId::RdmaOutSends, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip4InOctets", CounterId::RdmaRxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip4OutOctets", CounterId::RdmaTxBytes, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip4InPkts", CounterId::RdmaRxPackets, 1, 64, Scope::Function, kNoLane},
    {Source::RdmaHwCounters, "ip4OutPkts", CounterId::RdmaTxPackets, 1, 64, Scope::Function, kNoLane},
};
// clang-format on

}  // namespace

extern const VendorTable kIce;
constinit const VendorTable kIce{.name = "ice",
                                 .netdev_drivers = kNetdevDrivers,
                                 .rdma_drivers = kRdmaDrivers,
                                 .rows = kRows,
                                 .trust = TrustRule::DscpEntryInHostMode,
                                 .hides = kHidesBuffers | kHidesMaxRate};

}  // namespace roceready
