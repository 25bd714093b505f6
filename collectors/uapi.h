// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Numbers of the kernel's user interfaces that we speak: our own copy, because a distribution's headers lack what came
/// after its kernel. Each block names the kernel header; values never change there. Attribute types arrive with flag
/// bits: mask with kAttributeTypeMask. Payloads are in host byte order unless a comment says otherwise.
namespace roceready::uapi {

using Attr = std::uint16_t;

// linux/netlink.h
inline constexpr std::uint16_t kAttributeTypeMask = 0x3fff;  ///< drops NLA_F_NESTED and NLA_F_NET_BYTEORDER
inline constexpr std::uint16_t kAttributeNested = 0x8000;
inline constexpr std::size_t kAttributeHeaderSize = 4;  ///< u16 length including this header, u16 type; 4-byte aligned

// linux/ethtool_netlink.h: header of a request and of a reply
inline constexpr char kEthtoolFamily[] = "ethtool";
inline constexpr std::uint8_t kEthtoolVersion = 1;
inline constexpr std::uint32_t kEthtoolFlagCompactBitsets = 1, kEthtoolFlagOmitReply = 2, kEthtoolFlagStats = 4;
inline constexpr Attr kEthtoolAHeader = 1;  ///< in each message below
inline constexpr Attr kEthtoolAHeaderDevIndex = 1, kEthtoolAHeaderDevName = 2, kEthtoolAHeaderFlags = 3;

// Message numbers: requests and replies are two enumerations.
inline constexpr std::uint8_t kEthtoolMsgLinkInfoGet = 2, kEthtoolMsgLinkModesGet = 4, kEthtoolMsgLinkStateGet = 6,
                              kEthtoolMsgRingsGet = 15, kEthtoolMsgPauseGet = 21, kEthtoolMsgFecGet = 29,
                              kEthtoolMsgModuleEepromGet = 31;
inline constexpr std::uint8_t kEthtoolMsgLinkInfoReply = 2, kEthtoolMsgLinkModesReply = 4,
                              kEthtoolMsgLinkStateReply = 6, kEthtoolMsgRingsReply = 16, kEthtoolMsgPauseReply = 22,
                              kEthtoolMsgFecReply = 30, kEthtoolMsgModuleEepromReply = 32;

// Bitsets. Compact: SIZE in bits, VALUE and MASK as u32 words, least significant first. Verbose: BITS, BIT, …
inline constexpr Attr kEthtoolABitsetNoMask = 1, kEthtoolABitsetSize = 2, kEthtoolABitsetBits = 3,
                      kEthtoolABitsetValue = 4, kEthtoolABitsetMask = 5;
inline constexpr Attr kEthtoolABitsetBitsBit = 1;
inline constexpr Attr kEthtoolABitsetBitIndex = 1, kEthtoolABitsetBitName = 2, kEthtoolABitsetBitValue = 3;

inline constexpr Attr kEthtoolALinkInfoPort = 2, kEthtoolALinkInfoPhyAddr = 3, kEthtoolALinkInfoTpMdix = 4,
                      kEthtoolALinkInfoTpMdixCtrl = 5, kEthtoolALinkInfoTransceiver = 6;  ///< u8 each
inline constexpr std::uint8_t kPortTp = 0, kPortAui = 1, kPortMii = 2, kPortFibre = 3, kPortBnc = 4, kPortDa = 5,
                              kPortNone = 0xef, kPortOther = 0xff;

inline constexpr Attr kEthtoolAModuleEepromOffset = 2, kEthtoolAModuleEepromLength = 3,                 ///< u32 each
    kEthtoolAModuleEepromPage = 4, kEthtoolAModuleEepromBank = 5, kEthtoolAModuleEepromI2cAddress = 6,  ///< u8 each
    kEthtoolAModuleEepromData = 7;

inline constexpr Attr kEthtoolALinkModesAutoneg = 2,  ///< u8
    kEthtoolALinkModesOurs = 3,                       ///< bitset: mask supported, value advertised
    kEthtoolALinkModesPeer = 4,                       ///< bitset without mask
    kEthtoolALinkModesSpeed = 5,                      ///< u32 Mb/s, kSpeedUnknown when down
    kEthtoolALinkModesDuplex = 6,                     ///< u8 0 half, 1 full, 0xff unknown
    kEthtoolALinkModesMasterSlaveCfg = 7, kEthtoolALinkModesMasterSlaveState = 8,
                      kEthtoolALinkModesLanes = 9,  ///< u32
    kEthtoolALinkModesRateMatching = 10;
inline constexpr std::uint32_t kSpeedUnknown = 0xffffffffU;
inline constexpr std::uint8_t kDuplexHalf = 0, kDuplexFull = 1, kDuplexUnknown = 0xff;

inline constexpr Attr kEthtoolALinkStateLink = 2, kEthtoolALinkStateSqi = 3, kEthtoolALinkStateSqiMax = 4,
                      kEthtoolALinkStateExtState = 5,  ///< u8
    kEthtoolALinkStateExtSubstate = 6,                 ///< u8
    kEthtoolALinkStateExtDownCnt = 7;                  ///< u32 physical link-down events
/// Values of EXT_STATE.
inline constexpr std::uint8_t kLinkExtAutoneg = 0, kLinkExtTrainingFailure = 1, kLinkExtLogicalMismatch = 2,
                              kLinkExtBadSignalIntegrity = 3, kLinkExtNoCable = 4, kLinkExtCableIssue = 5,
                              kLinkExtEepromIssue = 6, kLinkExtCalibrationFailure = 7, kLinkExtPowerBudgetExceeded = 8,
                              kLinkExtOverheat = 9, kLinkExtModule = 10;

inline constexpr Attr kEthtoolARingsRxMax = 2, kEthtoolARingsRxMiniMax = 3, kEthtoolARingsRxJumboMax = 4,
                      kEthtoolARingsTxMax = 5, kEthtoolARingsRx = 6, kEthtoolARingsRxMini = 7,
                      kEthtoolARingsRxJumbo = 8, kEthtoolARingsTx = 9, kEthtoolARingsRxBufLen = 10,
                      kEthtoolARingsTcpDataSplit = 11, kEthtoolARingsCqeSize = 12, kEthtoolARingsTxPush = 13;

inline constexpr Attr kEthtoolAPauseAutoneg = 2, kEthtoolAPauseRx = 3, kEthtoolAPauseTx = 4,  ///< u8 each
    kEthtoolAPauseStats = 5, kEthtoolAPauseStatsSrc = 6;
inline constexpr Attr kEthtoolAPauseStatTxFrames = 2, kEthtoolAPauseStatRxFrames = 3,
                      kEthtoolAPauseStatTxPauseStormEvents = 4;  ///< u64 each

inline constexpr Attr kEthtoolAFecModes = 2,  ///< bitset of link-mode bits
    kEthtoolAFecAuto = 3,                     ///< u8
    kEthtoolAFecActive = 4,                   ///< u32: index of a link-mode bit
    kEthtoolAFecStats = 5;
inline constexpr Attr kEthtoolAFecStatCorrected = 2, kEthtoolAFecStatUncorr = 3,
                      kEthtoolAFecStatCorrBits = 4;  ///< arrays of u64: total, then lanes; empty: not supported
inline constexpr std::uint32_t kLinkModeBitFecNone = 49, kLinkModeBitFecRs = 50, kLinkModeBitFecBaser = 51,
                               kLinkModeBitFecLlrs = 74;
inline constexpr std::uint32_t kLinkModeBitAutoneg = 6, kLinkModeBitPause = 13, kLinkModeBitAsymPause = 14;

// linux/ethtool.h: struct ethtool_drvinfo and string sets
inline constexpr std::size_t kDrvInfoSize = 196;
inline constexpr std::size_t kDrvInfoDriverOffset = 4, kDrvInfoVersionOffset = 36, kDrvInfoFwVersionOffset = 68,
                             kDrvInfoBusInfoOffset = 100, kDrvInfoErom = 132, kDrvInfoTextSize = 32;
inline constexpr std::size_t kStatisticNameSize = 32;  ///< ETH_GSTRING_LEN, not always terminated

// linux/dcbnl.h. Nests come without NLA_F_NESTED; structs are raw, host byte order, host padding. Longer is accepted.
inline constexpr std::uint16_t kRtmGetDcb = 78;
inline constexpr std::size_t kDcbMsgSize = 4;  ///< struct dcbmsg: u8 family, u8 command, u16 pad
inline constexpr std::uint8_t kDcbCmdIeeeGet = 21, kDcbCmdGDcbx = 22, kDcbCmdCeeGet = 26;
inline constexpr Attr kDcbAttrIfName = 1, kDcbAttrIeee = 13, kDcbAttrDcbx = 14, kDcbAttrCee = 16;
inline constexpr Attr kDcbAttrIeeeEts = 1, kDcbAttrIeeePfc = 2, kDcbAttrIeeeAppTable = 3, kDcbAttrIeeePeerEts = 4,
                      kDcbAttrIeeePeerPfc = 5, kDcbAttrIeeePeerApp = 6, kDcbAttrIeeeMaxRate = 7, kDcbAttrIeeeQcn = 8,
                      kDcbAttrIeeeQcnStats = 9, kDcbAttrIeeeBuffer = 10, kDcbAttrIeeeAppTrustTable = 11,
                      kDcbAttrIeeeRewrTable = 12;
inline constexpr Attr kDcbAttrAppTableIeeeApp = 1, kDcbAttrAppTableDcbApp = 2;  ///< entries of APP_TABLE
inline constexpr Attr kDcbAttrAppTrust = 1;                                     ///< u8 selectors, by precedence
inline constexpr std::uint8_t kDcbxHost = 0x01, kDcbxLldManaged = 0x02, kDcbxVersionCee = 0x04, kDcbxVersionIeee = 0x08,
                              kDcbxStatic = 0x10;
/// struct ieee_ets: u8 fields and arrays of eight u8
inline constexpr std::size_t kIeeeEtsSize = 59, kIeeeEtsWilling = 0, kIeeeEtsCap = 1, kIeeeEtsCbs = 2,
                             kIeeeEtsTcTxBw = 3, kIeeeEtsTcRxBw = 11, kIeeeEtsTcTsa = 19, kIeeeEtsPrioTc = 27,
                             kIeeeEtsTcRecoBw = 35, kIeeeEtsTcRecoTsa = 43, kIeeeEtsRecoPrioTc = 51;
/// struct ieee_pfc: u8, u8, u8, u16 delay, u64[8] requests (sent), u64[8] indications (received)
inline constexpr std::size_t kIeeePfcSize = 136, kIeeePfcCap = 0, kIeeePfcEn = 1, kIeeePfcMbc = 2, kIeeePfcDelay = 4,
                             kIeeePfcRequests = 8, kIeeePfcIndications = 72;
inline constexpr std::size_t kIeeeMaxRateSize = 64;  ///< u64[8] kbit/s, 0 unlimited
/// struct dcbnl_buffer: u8[8], u32[8] bytes, u32 bytes
inline constexpr std::size_t kDcbBufferSize = 44, kDcbBufferPrioToBuffer = 0, kDcbBufferSizes = 8, kDcbBufferTotal = 40;
/// struct dcb_app: u8 selector, u8 priority, u16 protocol in host byte order
inline constexpr std::size_t kDcbAppSize = 4, kDcbAppSelector = 0, kDcbAppPriority = 1, kDcbAppProtocol = 2;
inline constexpr std::uint8_t kAppSelectorEthertype = 1, kAppSelectorTcp = 2, kAppSelectorUdp = 3,
                              kAppSelectorAnyPort = 4, kAppSelectorDscp = 5, kAppSelectorPcp = 255;
inline constexpr std::uint16_t kRoceV2UdpPort = 4791;

// linux/rtnetlink.h, linux/if_link.h
inline constexpr std::uint16_t kRtmNewLink = 16, kRtmGetLink = 18, kRtmNewAddr = 20, kRtmGetAddr = 22;
inline constexpr std::uint32_t kRtextFilterSkipStats = 8;
/// struct ifinfomsg: u8 family, u8 pad, u16 ARPHRD type, s32 index, u32 flags, u32 change
inline constexpr std::size_t kIfInfoMsgSize = 16, kIfInfoMsgType = 2, kIfInfoMsgIndex = 4, kIfInfoMsgFlags = 8;
inline constexpr std::uint32_t kIffUp = 0x1, kIffLoopback = 0x8, kIffRunning = 0x40, kIffMaster = 0x400,
                               kIffSlave = 0x800, kIffLowerUp = 0x10000;
inline constexpr Attr kIflaAddress = 1, kIflaIfName = 3, kIflaMtu = 4, kIflaLink = 5, kIflaMaster = 10,
                      kIflaOperState = 16, kIflaLinkMode = 17, kIflaLinkInfo = 18, kIflaNumVf = 21,
                      kIflaVfInfoList = 22, kIflaStats64 = 23, kIflaExtMask = 29, kIflaPromiscuity = 30,
                      kIflaCarrier = 33, kIflaPhysPortId = 34, kIflaCarrierChanges = 35, kIflaPhysSwitchId = 36,
                      kIflaLinkNetnsId = 37, kIflaPhysPortName = 38, kIflaProtoDown = 39, kIflaEvent = 44,
                      kIflaCarrierUpCount = 47, kIflaCarrierDownCount = 48, kIflaMinMtu = 50, kIflaMaxMtu = 51,
                      kIflaPropList = 52, kIflaAltIfName = 53, kIflaPermAddress = 54, kIflaParentDevName = 56,
                      kIflaParentDevBusName = 57, kIflaAllMulti = 61, kIflaDevlinkPort = 62;
inline constexpr std::uint8_t kOperUnknown = 0, kOperNotPresent = 1, kOperDown = 2, kOperLowerLayerDown = 3,
                              kOperTesting = 4, kOperDormant = 5, kOperUp = 6;
inline constexpr Attr kIflaInfoKind = 1, kIflaInfoData = 2, kIflaInfoSlaveKind = 4, kIflaInfoSlaveData = 5;
inline constexpr Attr kIflaVlanId = 1, kIflaVlanFlags = 2, kIflaVlanEgressQos = 3, kIflaVlanIngressQos = 4,
                      kIflaVlanProtocol = 5;    ///< PROTOCOL is big-endian u16
inline constexpr Attr kIflaVlanQosMapping = 1;  ///< u32 from, u32 to
inline constexpr Attr kIflaBondMode = 1, kIflaBondActiveSlave = 2, kIflaBondMiimon = 3, kIflaBondXmitHashPolicy = 14,
                      kIflaBondAdLacpRate = 21, kIflaBondAdInfo = 23;
inline constexpr Attr kIflaBondAdInfoAggregator = 1, kIflaBondAdInfoNumPorts = 2, kIflaBondAdInfoActorKey = 3,
                      kIflaBondAdInfoPartnerKey = 4, kIflaBondAdInfoPartnerMac = 5;
inline constexpr Attr kIflaBondSlaveState = 1, kIflaBondSlaveMiiStatus = 2, kIflaBondSlaveLinkFailureCount = 3,
                      kIflaBondSlavePermHwAddr = 4, kIflaBondSlaveQueueId = 5, kIflaBondSlaveAdAggregatorId = 6,
                      kIflaBondSlaveAdActorOperPortState = 7, kIflaBondSlaveAdPartnerOperPortState = 8;

// linux/if_addr.h
/// struct ifaddrmsg: u8 family, u8 prefix length, u8 flags, u8 scope, u32 index
inline constexpr std::size_t kIfAddrMsgSize = 8, kIfAddrMsgFamily = 0, kIfAddrMsgPrefixLength = 1, kIfAddrMsgFlags = 2,
                             kIfAddrMsgScope = 3, kIfAddrMsgIndex = 4;
inline constexpr Attr kIfaAddress = 1, kIfaLocal = 2, kIfaLabel = 3, kIfaCacheInfo = 6, kIfaFlags = 8;
inline constexpr std::uint32_t kIfaFlagDadFailed = 0x08, kIfaFlagTentative = 0x40;
inline constexpr std::uint16_t kRtmNewRule = 32, kRtmGetRule = 34;
// linux/fib_rules.h
/// struct fib_rule_hdr: u8 family, u8 destination and source prefix length, u8 tos, u8 table, u8 x 2, u8 action, u32
/// flags
inline constexpr std::size_t kFibRuleHeaderSize = 12, kFibRuleSourceLength = 2, kFibRuleTable = 4, kFibRuleAction = 7;
inline constexpr Attr kFraSource = 2, kFraTable = 15, kFraOutName = 17;
inline constexpr std::uint8_t kFrActToTable = 1;

inline constexpr std::uint8_t kRtScopeUniverse = 0, kRtScopeLink = 253, kRtScopeHost = 254;
inline constexpr std::uint8_t kAfInet = 2, kAfInet6 = 10;

// rdma/rdma_netlink.h
inline constexpr int kNetlinkRdma = 20;
inline constexpr std::uint16_t kRdmaNlNldev = 5;  ///< client: message type is client << 10 | command
inline constexpr std::uint16_t kNldevCmdGet = 1, kNldevCmdPortGet = 5, kNldevCmdSysGet = 6, kNldevCmdResGet = 9,
                               kNldevCmdStatGet = 17, kNldevCmdStatGetStatus = 24;
inline constexpr Attr kNldevAttrDevIndex = 1, kNldevAttrDevName = 2,
                      kNldevAttrPortIndex = 3,  ///< u32; in GET the number of ports
    kNldevAttrCapFlags = 4, kNldevAttrFwVersion = 5,
                      kNldevAttrNodeGuid = 6,  ///< u64 host order
    kNldevAttrSysImageGuid = 7, kNldevAttrSubnetPrefix = 8, kNldevAttrLid = 9, kNldevAttrSmLid = 10, kNldevAttrLmc = 11,
                      kNldevAttrPortState = 12,  ///< u8 1 down, 2 init, 3 armed, 4 active, 5 defer
    kNldevAttrPortPhysState = 13,                ///< u8 2 polling, 3 disabled, 5 link up
    kNldevAttrDevNodeType = 14,                  ///< u8 1 CA, 4 RNIC
    kNldevAttrResSummary = 15, kNldevAttrResSummaryEntry = 16, kNldevAttrResSummaryEntryName = 17,
                      kNldevAttrResSummaryEntryCurr = 18, kNldevAttrNdevIndex = 50, kNldevAttrNdevName = 51,
                      kNldevAttrLinkType = 65, kNldevAttrSysNetnsMode = 66, kNldevAttrDevProtocol = 67,
                      kNldevAttrStatMode = 74, kNldevAttrStatRes = 75, kNldevAttrStatHwCounters = 80,
                      kNldevAttrStatHwCounterEntry = 81, kNldevAttrStatHwCounterEntryName = 82,
                      kNldevAttrStatHwCounterEntryValue = 83, kNldevAttrSysCopyOnFork = 93,
                      kNldevAttrStatHwCounterIndex = 94, kNldevAttrStatHwCounterDynamic = 95,
                      kNldevAttrSysPrivilegedQkeyMode = 96;
inline constexpr std::uint8_t kIbPortStateDown = 1, kIbPortStateInit = 2, kIbPortStateArmed = 3, kIbPortStateActive = 4,
                              kIbPortStateActiveDefer = 5;
inline constexpr std::uint8_t kIbPortPhysStateSleep = 1, kIbPortPhysStatePolling = 2, kIbPortPhysStateDisabled = 3,
                              kIbPortPhysStateTraining = 4, kIbPortPhysStateLinkUp = 5,
                              kIbPortPhysStateErrorRecovery = 6, kIbPortPhysStatePhyTest = 7;

// infiniband/verbs.h: what VerbsFacts answers
inline constexpr std::size_t kVerbsPortAttributesSize = 32;  ///< eight u32, see core/host/host.h
inline constexpr std::uint32_t kIbvLinkLayerInfiniBand = 1, kIbvLinkLayerEthernet = 2;
/// struct ibv_gid_entry: u8[16] gid, u32 index, u32 port, u32 type, u32 ifindex
inline constexpr std::size_t kGidEntrySize = 32, kGidEntryGid = 0, kGidEntryIndex = 16, kGidEntryPort = 20,
                             kGidEntryType = 24, kGidEntryIfIndex = 28;
inline constexpr std::uint32_t kGidTypeIb = 0, kGidTypeRoceV1 = 1, kGidTypeRoceV2 = 2;

}  // namespace roceready::uapi
