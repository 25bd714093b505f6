// SPDX-License-Identifier: Apache-2.0
// Our copy of the kernel's numbers against the headers of the machine that builds this. Only what a Debian 12 header
// has can be compared.
#include "collectors/uapi.h"

#include <gtest/gtest.h>
#include <linux/dcbnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/version.h>
#include <rdma/rdma_netlink.h>

#include <cstddef>

namespace roceready::uapi {
namespace {

#define SAME(ours, theirs) EXPECT_EQ(static_cast<std::uint64_t>(ours), static_cast<std::uint64_t>(theirs)) << #ours

TEST(Uapi, ethtool_messages_are_those_of_the_kernel_header) {
  SAME(kEthtoolMsgLinkInfoGet, ETHTOOL_MSG_LINKINFO_GET);
  SAME(kEthtoolMsgLinkModesGet, ETHTOOL_MSG_LINKMODES_GET);
  SAME(kEthtoolMsgLinkStateGet, ETHTOOL_MSG_LINKSTATE_GET);
  SAME(kEthtoolMsgRingsGet, ETHTOOL_MSG_RINGS_GET);
  SAME(kEthtoolMsgPauseGet, ETHTOOL_MSG_PAUSE_GET);
  SAME(kEthtoolMsgFecGet, ETHTOOL_MSG_FEC_GET);
  SAME(kEthtoolMsgLinkInfoReply, ETHTOOL_MSG_LINKINFO_GET_REPLY);
  SAME(kEthtoolMsgLinkModesReply, ETHTOOL_MSG_LINKMODES_GET_REPLY);
  SAME(kEthtoolMsgLinkStateReply, ETHTOOL_MSG_LINKSTATE_GET_REPLY);
  SAME(kEthtoolMsgRingsReply, ETHTOOL_MSG_RINGS_GET_REPLY);
  SAME(kEthtoolMsgPauseReply, ETHTOOL_MSG_PAUSE_GET_REPLY);
  SAME(kEthtoolMsgFecReply, ETHTOOL_MSG_FEC_GET_REPLY);
}

TEST(Uapi, ethtool_attributes_are_those_of_the_kernel_header) {
  SAME(kEthtoolABitsetMask, ETHTOOL_A_BITSET_MASK);
  SAME(kEthtoolABitsetBits, ETHTOOL_A_BITSET_BITS);
  SAME(kEthtoolABitsetBitValue, ETHTOOL_A_BITSET_BIT_VALUE);
  SAME(kEthtoolALinkInfoTransceiver, ETHTOOL_A_LINKINFO_TRANSCEIVER);
  SAME(kEthtoolALinkModesRateMatching, ETHTOOL_A_LINKMODES_RATE_MATCHING);
  SAME(kEthtoolALinkModesSpeed, ETHTOOL_A_LINKMODES_SPEED);
  SAME(kEthtoolALinkModesLanes, ETHTOOL_A_LINKMODES_LANES);
  SAME(kEthtoolALinkStateExtSubstate, ETHTOOL_A_LINKSTATE_EXT_SUBSTATE);
  SAME(kEthtoolARingsTx, ETHTOOL_A_RINGS_TX);
  SAME(kEthtoolARingsTxPush, ETHTOOL_A_RINGS_TX_PUSH);
  SAME(kEthtoolAPauseStats, ETHTOOL_A_PAUSE_STATS);
  SAME(kEthtoolAPauseStatRxFrames, ETHTOOL_A_PAUSE_STAT_RX_FRAMES);
  SAME(kEthtoolAFecStats, ETHTOOL_A_FEC_STATS);
  SAME(kEthtoolAFecStatCorrBits, ETHTOOL_A_FEC_STAT_CORR_BITS);
  SAME(kLinkModeBitFecNone, ETHTOOL_LINK_MODE_FEC_NONE_BIT);
  SAME(kLinkModeBitFecRs, ETHTOOL_LINK_MODE_FEC_RS_BIT);
  SAME(kLinkModeBitFecBaser, ETHTOOL_LINK_MODE_FEC_BASER_BIT);
  SAME(kLinkModeBitFecLlrs, ETHTOOL_LINK_MODE_FEC_LLRS_BIT);
  SAME(kLinkModeBitAutoneg, ETHTOOL_LINK_MODE_Autoneg_BIT);
  SAME(kLinkModeBitPause, ETHTOOL_LINK_MODE_Pause_BIT);
  SAME(kLinkModeBitAsymPause, ETHTOOL_LINK_MODE_Asym_Pause_BIT);
  SAME(kLinkExtModule, ETHTOOL_LINK_EXT_STATE_MODULE);
  SAME(kPortDa, PORT_DA);
}

TEST(Uapi, driver_info_lies_where_the_kernel_puts_it) {
  SAME(kDrvInfoSize, sizeof(ethtool_drvinfo));
  SAME(kDrvInfoDriverOffset, offsetof(ethtool_drvinfo, driver));
  SAME(kDrvInfoVersionOffset, offsetof(ethtool_drvinfo, version));
  SAME(kDrvInfoFwVersionOffset, offsetof(ethtool_drvinfo, fw_version));
  SAME(kDrvInfoBusInfoOffset, offsetof(ethtool_drvinfo, bus_info));
  SAME(kDrvInfoErom, offsetof(ethtool_drvinfo, erom_version));
  SAME(kStatisticNameSize, ETH_GSTRING_LEN);
}

TEST(Uapi, dcb_structs_lie_where_the_kernel_puts_them) {
  SAME(kRtmGetDcb, RTM_GETDCB);
  SAME(kDcbMsgSize, sizeof(dcbmsg));
  SAME(kDcbCmdIeeeGet, DCB_CMD_IEEE_GET);
  SAME(kDcbCmdGDcbx, DCB_CMD_GDCBX);
  SAME(kDcbCmdCeeGet, DCB_CMD_CEE_GET);
  SAME(kDcbAttrIeee, DCB_ATTR_IEEE);
  SAME(kDcbAttrDcbx, DCB_ATTR_DCBX);
  SAME(kDcbAttrCee, DCB_ATTR_CEE);
  SAME(kDcbAttrIeeeBuffer, DCB_ATTR_DCB_BUFFER);
  SAME(kIeeeEtsSize, sizeof(ieee_ets));
  SAME(kIeeeEtsTcTsa, offsetof(ieee_ets, tc_tsa));
  SAME(kIeeeEtsPrioTc, offsetof(ieee_ets, prio_tc));
  SAME(kIeeeEtsRecoPrioTc, offsetof(ieee_ets, reco_prio_tc));
  SAME(kIeeePfcSize, sizeof(ieee_pfc));
  SAME(kIeeePfcDelay, offsetof(ieee_pfc, delay));
  SAME(kIeeePfcRequests, offsetof(ieee_pfc, requests));
  SAME(kIeeePfcIndications, offsetof(ieee_pfc, indications));
  SAME(kIeeeMaxRateSize, sizeof(ieee_maxrate));
  SAME(kDcbBufferSize, sizeof(dcbnl_buffer));
  SAME(kDcbBufferSizes, offsetof(dcbnl_buffer, buffer_size));
  SAME(kDcbBufferTotal, offsetof(dcbnl_buffer, total_size));
  SAME(kDcbAppSize, sizeof(dcb_app));
  SAME(kDcbAppProtocol, offsetof(dcb_app, protocol));
  SAME(kDcbxStatic, DCB_CAP_DCBX_STATIC);
}

TEST(Uapi, link_and_address_attributes_are_those_of_the_kernel_header) {
  SAME(kRtmGetLink, RTM_GETLINK);
  SAME(kRtmGetAddr, RTM_GETADDR);
  SAME(kRtextFilterSkipStats, RTEXT_FILTER_SKIP_STATS);
  SAME(kIfInfoMsgSize, sizeof(ifinfomsg));
  SAME(kIfInfoMsgIndex, offsetof(ifinfomsg, ifi_index));
  SAME(kIfInfoMsgFlags, offsetof(ifinfomsg, ifi_flags));
  SAME(kIflaMaster, IFLA_MASTER);
  SAME(kIflaOperState, IFLA_OPERSTATE);
  SAME(kIflaLinkInfo, IFLA_LINKINFO);
  SAME(kIflaExtMask, IFLA_EXT_MASK);
  SAME(kIflaCarrier, IFLA_CARRIER);
  SAME(kIflaPhysPortName, IFLA_PHYS_PORT_NAME);
  SAME(kIflaCarrierDownCount, IFLA_CARRIER_DOWN_COUNT);
  SAME(kIflaAltIfName, IFLA_ALT_IFNAME);
  SAME(kIflaParentDevBusName, IFLA_PARENT_DEV_BUS_NAME);
  SAME(kIflaAllMulti, IFLA_ALLMULTI);
  SAME(kIflaInfoSlaveData, IFLA_INFO_SLAVE_DATA);
  SAME(kIflaVlanProtocol, IFLA_VLAN_PROTOCOL);
  SAME(kIflaBondXmitHashPolicy, IFLA_BOND_XMIT_HASH_POLICY);
  SAME(kIflaBondAdLacpRate, IFLA_BOND_AD_LACP_RATE);
  SAME(kIflaBondAdInfo, IFLA_BOND_AD_INFO);
  SAME(kIflaBondAdInfoPartnerMac, IFLA_BOND_AD_INFO_PARTNER_MAC);
  SAME(kIflaBondSlaveAdPartnerOperPortState, IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE);
  SAME(kIfAddrMsgSize, sizeof(ifaddrmsg));
  SAME(kIfAddrMsgIndex, offsetof(ifaddrmsg, ifa_index));
  SAME(kIfaFlags, IFA_FLAGS);
  SAME(kIfaFlagTentative, IFA_F_TENTATIVE);
  SAME(kIfaFlagDadFailed, IFA_F_DADFAILED);
}

TEST(Uapi, rdma_attributes_are_those_of_the_kernel_header) {
  SAME(kRdmaNlNldev, RDMA_NL_NLDEV);
  SAME(kNldevCmdStatGet, RDMA_NLDEV_CMD_STAT_GET);
  SAME(kNldevCmdStatGetStatus, RDMA_NLDEV_CMD_STAT_GET_STATUS);
  SAME(kNldevAttrPortPhysState, RDMA_NLDEV_ATTR_PORT_PHYS_STATE);
  SAME(kNldevAttrDevNodeType, RDMA_NLDEV_ATTR_DEV_NODE_TYPE);
  SAME(kNldevAttrResSummaryEntryCurr, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR);
  SAME(kNldevAttrNdevIndex, RDMA_NLDEV_ATTR_NDEV_INDEX);
  SAME(kNldevAttrNdevName, RDMA_NLDEV_ATTR_NDEV_NAME);
  SAME(kNldevAttrLinkType, RDMA_NLDEV_ATTR_LINK_TYPE);
  SAME(kNldevAttrDevProtocol, RDMA_NLDEV_ATTR_DEV_PROTOCOL);
  SAME(kNldevAttrStatMode, RDMA_NLDEV_ATTR_STAT_MODE);
  SAME(kNldevAttrStatRes, RDMA_NLDEV_ATTR_STAT_RES);
  SAME(kNldevAttrStatHwCounters, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
  SAME(kNldevAttrStatHwCounterEntryValue, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE);
  SAME(kNldevAttrStatHwCounterDynamic, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC);
  SAME(kNldevAttrSysCopyOnFork, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)  // not in every header of 6.1
  SAME(kNldevAttrSysPrivilegedQkeyMode, RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE);
#endif
}

}  // namespace
}  // namespace roceready::uapi
