// SPDX-License-Identifier: GPL-2.0
/*
 * rr_testnic: a test NIC that looks like an mlx5 port and forwards real frames over another network device.
 *
 * rdma_rxe runs real RoCE v2 on top of it, the stock tools read and set its DCB, ethtool and PCIe state, and debugfs
 * files make its counters move and its calls fail. See ../README.md.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/linkmode.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/udp.h>
#include <linux/workqueue.h>
#include <net/dcbnl.h>
#include <net/dsfield.h>

#include "rr_path.h"

#define TN_MAX_NICS	4
#define TN_PRIOS	IEEE_8021QAZ_MAX_TCS
#define TN_DSCPS	64
#define TN_TOTAL_BUFFER	262016
#define TN_MAX_DELAY_MS	60000
#define TN_MAX_INPUT	RR_PATH_MAX_TEXT
#define ROCE_V2_PORT	4791

static char *lower[TN_MAX_NICS];
static int lower_count;
module_param_array(lower, charp, &lower_count, 0444);
MODULE_PARM_DESC(lower, "network devices to forward over, comma list; one test NIC each (default eth0)");
static char *name = "tn";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "prefix of the names: tn0, tn1 ...");
static char *driver = "mlx5_core";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "driver name that ethtool -i reports");
static char *firmware = "22.36.1010 (MT_0000000359)";
module_param(firmware, charp, 0444);
MODULE_PARM_DESC(firmware, "firmware version that ethtool -i reports");
static char *trust = "dscp";
module_param(trust, charp, 0444);
MODULE_PARM_DESC(trust, "dscp: begin with 64 DSCP entries in the APP table; pcp: with none");
static uint max_speed = 100000;
module_param(max_speed, uint, 0444);
MODULE_PARM_DESC(max_speed, "fastest supported speed in Mb/s, and the speed to begin with");
static uint pci_max_width = 16;
module_param(pci_max_width, uint, 0444);
MODULE_PARM_DESC(pci_max_width, "lanes in the NIC's PCIe link capabilities");
static uint pci_cur_width;
module_param(pci_cur_width, uint, 0444);
MODULE_PARM_DESC(pci_cur_width, "lanes in the PCIe link status (default: all)");
static uint pci_max_speed = 4;
module_param(pci_max_speed, uint, 0444);
MODULE_PARM_DESC(pci_max_speed, "PCIe generation in the NIC's link capabilities");
static uint pci_cur_speed;
module_param(pci_cur_speed, uint, 0444);
MODULE_PARM_DESC(pci_cur_speed, "PCIe generation in the link status (default: the fastest)");
static uint port_max_width = 16;
module_param(port_max_width, uint, 0444);
MODULE_PARM_DESC(port_max_width, "lanes in the capabilities of the port above the NIC");
static uint port_max_speed = 4;
module_param(port_max_speed, uint, 0444);
MODULE_PARM_DESC(port_max_speed, "PCIe generation in the capabilities of the port above the NIC");

/* ---- statistics ------------------------------------------------------------------------------------------------ */

/* When a name is shown: 0..7 while PFC is on for that priority, else one of these. */
enum { TN_SHOW_ALWAYS = 8, TN_SHOW_GLOBAL, TN_SHOW_NEVER };

struct tn_stat {
	const char name[ETH_GSTRING_LEN];
	u8 show;
};

static const struct tn_stat tn_stats[] = {
#include "rr_names.h"
};

#define TN_STATS	ARRAY_SIZE(tn_stats)

/* Counters that the driver itself moves or reads; looked up by name once. */
enum tn_role {
	R_RX_PKTS, R_RX_BYTES, R_TX_PKTS, R_TX_BYTES,
	R_RX_PKTS_PHY, R_RX_BYTES_PHY, R_TX_PKTS_PHY, R_TX_BYTES_PHY,
	R_RX_RDMA_PKTS, R_RX_RDMA_BYTES, R_TX_RDMA_PKTS, R_TX_RDMA_BYTES,
	R_RX_UCAST_PKTS, R_RX_UCAST_BYTES, R_TX_UCAST_PKTS, R_TX_UCAST_BYTES,
	R_LINK_DOWN, R_RX_PAUSE_CTRL, R_TX_PAUSE_CTRL, R_CORR_BITS, R_CORR_BLOCKS, R_UNCORR_BLOCKS,
	R_SYMBOL_ERR, R_CRC_ERR, R_IN_RANGE, R_OUT_RANGE, R_OVERSIZE, R_UNDERSIZE, R_FRAGMENTS, R_JABBERS,
	R_RX_MAC_CTRL, R_TX_MAC_CTRL, R_UNSUPPORTED_OP, R_OUT_OF_BUFFER, R_RX_DISCARDS, R_TX_DISCARDS, R_TX_ERRORS,
	R_HIST0,
	R_PRIO0 = R_HIST0 + 10,
	R_PAUSE0 = R_PRIO0 + 4 * TN_PRIOS,
	R_COUNT = R_PAUSE0 + 2 * TN_PRIOS,
};

static const char * const tn_role_names[R_HIST0 + 10] = {
	[R_RX_PKTS] = "rx_packets", [R_RX_BYTES] = "rx_bytes",
	[R_TX_PKTS] = "tx_packets", [R_TX_BYTES] = "tx_bytes",
	[R_RX_PKTS_PHY] = "rx_packets_phy", [R_RX_BYTES_PHY] = "rx_bytes_phy",
	[R_TX_PKTS_PHY] = "tx_packets_phy", [R_TX_BYTES_PHY] = "tx_bytes_phy",
	[R_RX_RDMA_PKTS] = "rx_vport_rdma_unicast_packets", [R_RX_RDMA_BYTES] = "rx_vport_rdma_unicast_bytes",
	[R_TX_RDMA_PKTS] = "tx_vport_rdma_unicast_packets", [R_TX_RDMA_BYTES] = "tx_vport_rdma_unicast_bytes",
	[R_RX_UCAST_PKTS] = "rx_vport_unicast_packets", [R_RX_UCAST_BYTES] = "rx_vport_unicast_bytes",
	[R_TX_UCAST_PKTS] = "tx_vport_unicast_packets", [R_TX_UCAST_BYTES] = "tx_vport_unicast_bytes",
	[R_LINK_DOWN] = "link_down_events_phy",
	[R_RX_PAUSE_CTRL] = "rx_pause_ctrl_phy", [R_TX_PAUSE_CTRL] = "tx_pause_ctrl_phy",
	[R_CORR_BITS] = "rx_corrected_bits_phy",
	[R_CORR_BLOCKS] = "fec_corrected_blocks", [R_UNCORR_BLOCKS] = "fec_uncorrectable_blocks",
	[R_SYMBOL_ERR] = "rx_symbol_err_phy", [R_CRC_ERR] = "rx_crc_errors_phy",
	[R_IN_RANGE] = "rx_in_range_len_errors_phy", [R_OUT_RANGE] = "rx_out_of_range_len_phy",
	[R_OVERSIZE] = "rx_oversize_pkts_phy", [R_UNDERSIZE] = "rx_undersize_pkts_phy",
	[R_FRAGMENTS] = "rx_fragments_phy", [R_JABBERS] = "rx_jabbers_phy",
	[R_RX_MAC_CTRL] = "rx_mac_control_phy", [R_TX_MAC_CTRL] = "tx_mac_control_phy",
	[R_UNSUPPORTED_OP] = "rx_unsupported_op_phy", [R_OUT_OF_BUFFER] = "rx_out_of_buffer",
	[R_RX_DISCARDS] = "rx_discards_phy", [R_TX_DISCARDS] = "tx_discards_phy", [R_TX_ERRORS] = "tx_errors_phy",
	[R_HIST0] = "rx_64_bytes_phy", "rx_65_to_127_bytes_phy", "rx_128_to_255_bytes_phy",
	"rx_256_to_511_bytes_phy", "rx_512_to_1023_bytes_phy", "rx_1024_to_1518_bytes_phy",
	"rx_1519_to_2047_bytes_phy", "rx_2048_to_4095_bytes_phy", "rx_4096_to_8191_bytes_phy",
	"rx_8192_to_10239_bytes_phy",
};

static const struct ethtool_rmon_hist_range tn_hist_ranges[] = {
	{ 0, 64 }, { 65, 127 }, { 128, 255 }, { 256, 511 }, { 512, 1023 }, { 1024, 1518 },
	{ 1519, 2047 }, { 2048, 4095 }, { 4096, 8191 }, { 8192, 10239 }, {}
};

static u16 tn_roles[R_COUNT];

/* Value at a moment: base + live + rate * (moment - since). */
struct tn_counter {
	u64 base;
	u64 rate;
	u64 since;
	atomic64_t live;
};

static const char * const tn_bad_names[] = {
	"bad name with spaces", "bad\x01\xff\x80\x1b[31m\nbytes", "full_32_bytes_without_terminator",
};

/* ---- the device ------------------------------------------------------------------------------------------------ */

enum tn_refusal {
	RF_ETHTOOL, RF_DRVINFO, RF_SSET, RF_GSTRINGS, RF_GSTATS, RF_PAUSE, RF_FEC, RF_LINKMODES, RF_RINGS,
	RF_PFC, RF_ETS, RF_APP, RF_BUFFER, RF_MAXRATE, RF_DCBX, RF_COUNT,
};

static const char * const tn_refusal_names[RF_COUNT] = {
	"ethtool", "drvinfo", "sset", "gstrings", "gstats", "pause", "fec", "linkmodes", "rings",
	"pfc", "ets", "app", "buffer", "maxrate", "dcbx",
};

enum tn_file {
	F_SET, F_RATE, F_LINK, F_EXT_STATE, F_SPEED, F_REFUSE, F_DELAY, F_BAD_NAMES, F_PCI, F_GONE, F_COUNTERS,
	F_PATH, F_COUNT,
};

static const char * const tn_file_names[F_COUNT] = {
	"set", "rate", "link", "ext_state", "speed", "refuse", "gstats_delay_ms", "bad_names", "pci", "gone",
	"counters", "path",
};

struct tn;

struct tn_knob {
	struct tn *tn;
	enum tn_file file;
};

enum { P_MAX_WIDTH, P_CUR_WIDTH, P_MAX_SPEED, P_CUR_SPEED, P_PORT_MAX_WIDTH, P_PORT_MAX_SPEED, P_COUNT };

static const char * const tn_pci_names[P_COUNT] = {
	"max_width", "cur_width", "max_speed", "cur_speed", "port_max_width", "port_max_speed",
};

/* Everything without a word on its locking is guarded by the RTNL. */
struct tn {
	struct net_device *dev;
	struct net_device __rcu *low;
	struct dentry *dir;
	struct tn_knob knobs[F_COUNT];
	struct work_struct gone_work;
	struct rr_path *path;		/* has its own lock */
	bool registered;
	struct ethtool_ops eops;	/* a copy, so that a refused getter without a result can be taken out */

	spinlock_t lock;		/* base, rate and since of the counters */
	struct tn_counter counters[TN_STATS];

	struct ieee_pfc pfc;
	struct ieee_ets ets;
	struct ieee_maxrate maxrate;
	struct dcbnl_buffer buffer;
	u8 dcbx;
	u8 dscp2prio[TN_DSCPS];		/* written under RTNL, read by the data path */
	int dscp_entries;		/* > 0: the port trusts DSCP, as on mlx5; read by the data path */

	struct ethtool_pauseparam pause;
	struct ethtool_ringparam rings;
	u32 fec;
	u32 speed;
	u8 autoneg;
	__ETHTOOL_DECLARE_LINK_MODE_MASK(advertised);
	bool link;
	int ext_state;			/* -1: none */
	u32 ext_substate;
	bool bad_names;
	u32 delay_ms;
	int refuse[RF_COUNT];		/* errno, 0: does not refuse */
	u32 pci[P_COUNT];		/* single words, read without a lock by the config space reader */
};

struct tn_priv {
	struct tn *tn;
};

static struct tn *tns[TN_MAX_NICS];
static struct dentry *tn_root;

static struct tn *to_tn(const struct net_device *dev)
{
	return ((struct tn_priv *)netdev_priv(dev))->tn;
}

static struct net_device *tn_low(struct tn *tn)
{
	return rtnl_dereference(tn->low);
}

static int tn_find_stat(const char *what)
{
	int i;

	for (i = 0; i < TN_STATS; i++)
		if (!strcmp(tn_stats[i].name, what))
			return i;
	return -ENOENT;
}

static int tn_init_roles(void)
{
	static const char * const prio_fmt[] = {
		"rx_prio%d_packets", "rx_prio%d_bytes", "tx_prio%d_packets", "tx_prio%d_bytes",
	};
	static const char * const pause_fmt[] = { "rx_prio%d_pause", "tx_prio%d_pause" };
	char what[ETH_GSTRING_LEN];
	int i, found;

	for (i = 0; i < R_COUNT; i++) {
		if (i < R_PRIO0)
			strscpy(what, tn_role_names[i], sizeof(what));
		else if (i < R_PAUSE0)
			snprintf(what, sizeof(what), prio_fmt[(i - R_PRIO0) % 4], (i - R_PRIO0) / 4);
		else
			snprintf(what, sizeof(what), pause_fmt[(i - R_PAUSE0) % 2], (i - R_PAUSE0) / 2);
		found = tn_find_stat(what);
		if (found < 0) {
			pr_err("no statistic is called %s\n", what);
			return -EINVAL;
		}
		tn_roles[i] = found;
	}
	return 0;
}

static u64 tn_value_locked(struct tn_counter *c, u64 now)
{
	u32 rest;
	u64 seconds = div_u64_rem(now - c->since, NSEC_PER_SEC, &rest);

	return c->base + atomic64_read(&c->live) + c->rate * seconds + mul_u64_u32_div(c->rate, rest, NSEC_PER_SEC);
}

static u64 tn_value(struct tn *tn, int i)
{
	u64 v;

	spin_lock(&tn->lock);
	v = tn_value_locked(&tn->counters[i], ktime_get_ns());
	spin_unlock(&tn->lock);
	return v;
}

static u64 tn_role(struct tn *tn, int role)
{
	return tn_value(tn, tn_roles[role]);
}

static void tn_set_counter(struct tn *tn, int i, u64 value)
{
	struct tn_counter *c = &tn->counters[i];

	spin_lock(&tn->lock);
	c->since = ktime_get_ns();
	c->base = value - atomic64_read(&c->live);
	spin_unlock(&tn->lock);
}

static void tn_set_rate(struct tn *tn, int i, u64 rate)
{
	struct tn_counter *c = &tn->counters[i];
	u64 now;

	spin_lock(&tn->lock);
	now = ktime_get_ns();
	c->base = tn_value_locked(c, now) - atomic64_read(&c->live);
	c->since = now;
	c->rate = rate;
	spin_unlock(&tn->lock);
}

static void tn_count(struct tn *tn, int role, u64 n)
{
	atomic64_add(n, &tn->counters[tn_roles[role]].live);
}

static bool tn_visible(struct tn *tn, int i)
{
	u8 show = tn_stats[i].show;

	if (show < TN_PRIOS)
		return tn->pfc.pfc_en & BIT(show);
	if (show == TN_SHOW_GLOBAL)
		return tn->pause.rx_pause || tn->pause.tx_pause;
	return show == TN_SHOW_ALWAYS;
}

/* ---- data path ------------------------------------------------------------------------------------------------- */

/* Count one frame; l3 is the offset of the network header from skb->data. */
static void tn_classify(struct tn *tn, struct sk_buff *skb, int l3, __be16 proto, unsigned int len, bool tx)
{
	struct { __be16 tci, proto; } _vlan, *vlan;
	struct ipv6hdr _ip6, *ip6;
	struct udphdr _udp, *udp;
	struct iphdr _ip, *ip;
	int dscp = -1, pcp = 0, l4 = -1, prio, i;
	bool rdma = false;

	if (skb_vlan_tag_present(skb)) {
		pcp = skb_vlan_tag_get_prio(skb);
	} else if (proto == htons(ETH_P_8021Q)) {
		vlan = skb_header_pointer(skb, l3, sizeof(_vlan), &_vlan);
		if (vlan) {
			pcp = ntohs(vlan->tci) >> VLAN_PRIO_SHIFT;
			proto = vlan->proto;
			l3 += VLAN_HLEN;
		}
	}
	if (proto == htons(ETH_P_IP)) {
		ip = skb_header_pointer(skb, l3, sizeof(_ip), &_ip);
		if (ip) {
			dscp = ipv4_get_dsfield(ip) >> 2;
			if (ip->protocol == IPPROTO_UDP)
				l4 = l3 + ip->ihl * 4;
		}
	} else if (proto == htons(ETH_P_IPV6)) {
		ip6 = skb_header_pointer(skb, l3, sizeof(_ip6), &_ip6);
		if (ip6) {
			dscp = ipv6_get_dsfield(ip6) >> 2;
			if (ip6->nexthdr == IPPROTO_UDP)
				l4 = l3 + sizeof(*ip6);
		}
	}
	if (l4 >= 0) {
		udp = skb_header_pointer(skb, l4, sizeof(_udp), &_udp);
		rdma = udp && udp->dest == htons(ROCE_V2_PORT);
	}
	if (READ_ONCE(tn->dscp_entries) > 0)
		prio = dscp >= 0 ? READ_ONCE(tn->dscp2prio[dscp]) : 0;
	else
		prio = pcp;

	i = R_PRIO0 + prio * 4 + (tx ? 2 : 0);
	tn_count(tn, i, 1);
	tn_count(tn, i + 1, len);
	i = tx ? R_TX_PKTS_PHY : R_RX_PKTS_PHY;
	tn_count(tn, i, 1);
	tn_count(tn, i + 1, len + ETH_FCS_LEN);
	if (rdma) {
		i = tx ? R_TX_RDMA_PKTS : R_RX_RDMA_PKTS;
	} else {
		i = tx ? R_TX_UCAST_PKTS : R_RX_UCAST_PKTS;
		tn_count(tn, tx ? R_TX_PKTS : R_RX_PKTS, 1);
		tn_count(tn, tx ? R_TX_BYTES : R_RX_BYTES, len);
	}
	tn_count(tn, i, 1);
	tn_count(tn, i + 1, len);
	if (!tx) {
		for (i = 0; i < 9 && len + ETH_FCS_LEN > tn_hist_ranges[i].high; i++)
			;
		tn_count(tn, R_HIST0 + i, 1);
	}
}

/* The lower device is promiscuous and may sit on a hub: what a switch would not have sent here never came. */
static bool tn_hears(struct tn *tn, struct sk_buff *skb)
{
	return netif_running(tn->dev) && netif_carrier_ok(tn->dev) &&
	       (skb->pkt_type != PACKET_OTHERHOST || tn->dev->flags & IFF_PROMISC);
}

static void tn_arrive(struct tn *tn, struct sk_buff *skb)
{
	tn_classify(tn, skb, 0, skb->protocol, skb->len + ETH_HLEN, false);
	dev_sw_netstats_rx_add(tn->dev, skb->len + ETH_HLEN);
	skb->dev = tn->dev;
}

static void tn_deliver(void *context, struct sk_buff *skb)
{
	struct tn *tn = context;

	if (!netif_running(tn->dev) || !netif_carrier_ok(tn->dev)) {
		kfree_skb(skb);
		return;
	}
	tn_arrive(tn, skb);
	netif_receive_skb(skb);
}

static rx_handler_result_t tn_rx(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb;
	struct tn *tn = rcu_dereference(skb->dev->rx_handler_data);

	if (!tn_hears(tn, skb)) {
		kfree_skb(skb);
		return RX_HANDLER_CONSUMED;
	}
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return RX_HANDLER_CONSUMED;
	*pskb = skb;
	if (rr_path_take(tn->path, skb))
		return RX_HANDLER_CONSUMED;
	tn_arrive(tn, skb);
	return RX_HANDLER_ANOTHER;
}

static netdev_tx_t tn_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct tn *tn = to_tn(dev);
	struct net_device *low;

	rcu_read_lock();
	low = rcu_dereference(tn->low);
	if (!low || !netif_carrier_ok(dev) || skb->len < ETH_HLEN) {
		dev_core_stats_tx_dropped_inc(dev);
		kfree_skb(skb);
	} else {
		tn_classify(tn, skb, ETH_HLEN, ((struct ethhdr *)skb->data)->h_proto, skb->len, true);
		dev_sw_netstats_tx_add(dev, 1, skb->len);
		skb->dev = low;
		dev_queue_xmit(skb);
	}
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

/* The link as a whole: knob, administrative state and the lower device. */
static void tn_update_carrier(struct tn *tn)
{
	struct net_device *low = tn_low(tn);
	bool up = tn->link && netif_running(tn->dev) && low && netif_carrier_ok(low);

	if (up == netif_carrier_ok(tn->dev))
		return;
	if (up) {
		netif_carrier_on(tn->dev);
	} else {
		tn_count(tn, R_LINK_DOWN, 1);
		netif_carrier_off(tn->dev);
	}
}

static int tn_open(struct net_device *dev)
{
	struct tn *tn = to_tn(dev);
	struct net_device *low = tn_low(tn);
	int err;

	if (!low)
		return -ENODEV;
	err = dev_open(low, NULL);
	if (err)
		return err;
	tn_update_carrier(tn);
	return 0;
}

static int tn_stop(struct net_device *dev)
{
	struct tn *tn = to_tn(dev);

	if (netif_carrier_ok(dev)) {
		tn_count(tn, R_LINK_DOWN, 1);
		netif_carrier_off(dev);
	}
	return 0;
}

static int tn_change_mtu(struct net_device *dev, int mtu)
{
	struct net_device *low = tn_low(to_tn(dev));
	int err;

	if (!low)
		return -ENODEV;
	if (low->mtu < mtu) {
		err = dev_set_mtu(low, mtu);
		if (err)
			return err;
	}
	dev->mtu = mtu;
	return 0;
}

static void tn_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	struct tn *tn = to_tn(dev);

	dev_fetch_sw_netstats(s, dev->tstats);
	s->rx_missed_errors = tn_role(tn, R_OUT_OF_BUFFER);
	s->rx_crc_errors = tn_role(tn, R_CRC_ERR);
	s->rx_length_errors = tn_role(tn, R_IN_RANGE) + tn_role(tn, R_OUT_RANGE) + tn_role(tn, R_OVERSIZE);
	s->rx_errors = s->rx_crc_errors + s->rx_length_errors;
	s->tx_errors = tn_role(tn, R_TX_ERRORS);
}

static const struct net_device_ops tn_netdev_ops = {
	.ndo_open = tn_open,
	.ndo_stop = tn_stop,
	.ndo_start_xmit = tn_xmit,
	.ndo_change_mtu = tn_change_mtu,
	.ndo_get_stats64 = tn_get_stats64,
};

/* ---- which ethtool ioctl is running ---------------------------------------------------------------------------- */

/*
 * A driver is not told which ethtool command it serves: the statistics getter returns nothing, so the only place to fail
 * GSTATS is the count, which GSSET_INFO and GSTRINGS ask for too. The probe notes the command per task at the entry of
 * the ioctl. Where the probe cannot be set, a refusal of one command hits all that use the same callback.
 */
#define TN_SEEN		32
static struct {
	struct task_struct *task;
	u32 cmd;
} tn_seen[TN_SEEN];
static unsigned int tn_seen_next;
static DEFINE_RAW_SPINLOCK(tn_seen_lock);
static bool tn_probe_set;

#ifdef CONFIG_X86_64
static int tn_note_ioctl(struct kprobe *kp, struct pt_regs *regs)
{
	unsigned long flags;
	u32 cmd;
	int i;

	if (copy_from_user_nofault(&cmd, (void __user *)regs->dx, sizeof(cmd)))
		return 0;
	raw_spin_lock_irqsave(&tn_seen_lock, flags);
	for (i = 0; i < TN_SEEN && tn_seen[i].task != current; i++)
		;
	if (i == TN_SEEN)
		i = tn_seen_next++ % TN_SEEN;
	tn_seen[i].task = current;
	tn_seen[i].cmd = cmd;
	raw_spin_unlock_irqrestore(&tn_seen_lock, flags);
	return 0;
}

static struct kprobe tn_probe = { .symbol_name = "dev_ethtool", .pre_handler = tn_note_ioctl };
#endif

/* The ioctl that this task is in, 0 if none is known. */
static u32 tn_ioctl(bool forget)
{
	unsigned long flags;
	u32 cmd = 0;
	int i;

	raw_spin_lock_irqsave(&tn_seen_lock, flags);
	for (i = 0; i < TN_SEEN; i++) {
		if (tn_seen[i].task == current) {
			cmd = tn_seen[i].cmd;
			if (forget)
				tn_seen[i].task = NULL;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&tn_seen_lock, flags);
	return cmd;
}

static bool tn_in_ioctl(u32 cmd)
{
	return !tn_probe_set || tn_ioctl(false) == cmd;
}

/* ---- ethtool --------------------------------------------------------------------------------------------------- */

static int tn_begin(struct net_device *dev)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_ETHTOOL])
		return -tn->refuse[RF_ETHTOOL];
	if (tn->refuse[RF_DRVINFO] && tn_probe_set && tn_ioctl(false) == ETHTOOL_GDRVINFO)
		return -tn->refuse[RF_DRVINFO];
	return 0;
}

static void tn_complete(struct net_device *dev)
{
	tn_ioctl(true);
}

static void tn_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *i)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_DRVINFO])
		return;
	strscpy(i->driver, driver, sizeof(i->driver));
	strscpy(i->fw_version, firmware, sizeof(i->fw_version));
	if (dev->dev.parent)
		strscpy(i->bus_info, dev_name(dev->dev.parent), sizeof(i->bus_info));
}

static int tn_get_sset_count(struct net_device *dev, int set)
{
	struct tn *tn = to_tn(dev);
	int i, n = 0;

	if (set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	if (tn->refuse[RF_SSET])
		return -tn->refuse[RF_SSET];
	if (tn->refuse[RF_GSTRINGS] && tn_in_ioctl(ETHTOOL_GSTRINGS))
		return -tn->refuse[RF_GSTRINGS];
	if (tn->refuse[RF_GSTATS] && tn_in_ioctl(ETHTOOL_GSTATS))
		return -tn->refuse[RF_GSTATS];
	for (i = 0; i < TN_STATS; i++)
		n += tn_visible(tn, i);
	return n + (tn->bad_names ? ARRAY_SIZE(tn_bad_names) : 0);
}

static void tn_get_strings(struct net_device *dev, u32 set, u8 *p)
{
	struct tn *tn = to_tn(dev);
	int i;

	if (set != ETH_SS_STATS)
		return;
	for (i = 0; i < TN_STATS; i++) {
		if (tn_visible(tn, i)) {
			memcpy(p, tn_stats[i].name, ETH_GSTRING_LEN);
			p += ETH_GSTRING_LEN;
		}
	}
	for (i = 0; tn->bad_names && i < ARRAY_SIZE(tn_bad_names); i++) {
		memcpy(p, tn_bad_names[i], strnlen(tn_bad_names[i], ETH_GSTRING_LEN));
		p += ETH_GSTRING_LEN;
	}
}

static void tn_get_ethtool_stats(struct net_device *dev, struct ethtool_stats *s, u64 *p)
{
	struct tn *tn = to_tn(dev);
	int i;

	if (tn->delay_ms)
		msleep(tn->delay_ms);
	for (i = 0; i < TN_STATS; i++)
		if (tn_visible(tn, i))
			*p++ = tn_value(tn, i);
	for (i = 0; tn->bad_names && i < ARRAY_SIZE(tn_bad_names); i++)
		*p++ = i + 1;
}

static void tn_get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *p)
{
	struct tn *tn = to_tn(dev);

	p->autoneg = tn->pause.autoneg;
	p->rx_pause = tn->pause.rx_pause;
	p->tx_pause = tn->pause.tx_pause;
}

static int tn_set_pauseparam(struct net_device *dev, struct ethtool_pauseparam *p)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_PAUSE])
		return -tn->refuse[RF_PAUSE];
	if (p->autoneg)
		return -EINVAL;
	tn->pause = *p;
	return 0;
}

static void tn_get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *s)
{
	struct tn *tn = to_tn(dev);

	s->tx_pause_frames = tn_role(tn, R_TX_PAUSE_CTRL);
	s->rx_pause_frames = tn_role(tn, R_RX_PAUSE_CTRL);
}

static int tn_get_fecparam(struct net_device *dev, struct ethtool_fecparam *p)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_FEC])
		return -tn->refuse[RF_FEC];
	p->fec = tn->fec;
	p->active_fec = tn->fec == ETHTOOL_FEC_AUTO ? ETHTOOL_FEC_RS : tn->fec;
	return 0;
}

static int tn_set_fecparam(struct net_device *dev, struct ethtool_fecparam *p)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_FEC])
		return -tn->refuse[RF_FEC];
	if (p->fec != ETHTOOL_FEC_AUTO && p->fec != ETHTOOL_FEC_OFF && p->fec != ETHTOOL_FEC_RS &&
	    p->fec != ETHTOOL_FEC_BASER)
		return -EOPNOTSUPP;
	tn->fec = p->fec;
	return 0;
}

static void tn_get_fec_stats(struct net_device *dev, struct ethtool_fec_stats *s)
{
	struct tn *tn = to_tn(dev);

	s->corrected_blocks.total = tn_role(tn, R_CORR_BLOCKS);
	s->uncorrectable_blocks.total = tn_role(tn, R_UNCORR_BLOCKS);
	s->corrected_bits.total = tn_role(tn, R_CORR_BITS);
}

static void tn_get_eth_phy_stats(struct net_device *dev, struct ethtool_eth_phy_stats *s)
{
	s->SymbolErrorDuringCarrier = tn_role(to_tn(dev), R_SYMBOL_ERR);
}

static void tn_get_eth_mac_stats(struct net_device *dev, struct ethtool_eth_mac_stats *s)
{
	struct tn *tn = to_tn(dev);

	s->FramesTransmittedOK = tn_role(tn, R_TX_PKTS_PHY);
	s->FramesReceivedOK = tn_role(tn, R_RX_PKTS_PHY);
	s->OctetsTransmittedOK = tn_role(tn, R_TX_BYTES_PHY);
	s->OctetsReceivedOK = tn_role(tn, R_RX_BYTES_PHY);
	s->FrameCheckSequenceErrors = tn_role(tn, R_CRC_ERR);
	s->InRangeLengthErrors = tn_role(tn, R_IN_RANGE);
	s->OutOfRangeLengthField = tn_role(tn, R_OUT_RANGE);
	s->FrameTooLongErrors = tn_role(tn, R_OVERSIZE);
}

static void tn_get_eth_ctrl_stats(struct net_device *dev, struct ethtool_eth_ctrl_stats *s)
{
	struct tn *tn = to_tn(dev);

	s->MACControlFramesTransmitted = tn_role(tn, R_TX_MAC_CTRL);
	s->MACControlFramesReceived = tn_role(tn, R_RX_MAC_CTRL);
	s->UnsupportedOpcodesReceived = tn_role(tn, R_UNSUPPORTED_OP);
}

static void tn_get_rmon_stats(struct net_device *dev, struct ethtool_rmon_stats *s,
			      const struct ethtool_rmon_hist_range **ranges)
{
	struct tn *tn = to_tn(dev);
	int i;

	s->undersize_pkts = tn_role(tn, R_UNDERSIZE);
	s->oversize_pkts = tn_role(tn, R_OVERSIZE);
	s->fragments = tn_role(tn, R_FRAGMENTS);
	s->jabbers = tn_role(tn, R_JABBERS);
	for (i = 0; i < 10; i++)
		s->hist[i] = tn_role(tn, R_HIST0 + i);
	*ranges = tn_hist_ranges;
}

static const struct {
	u32 speed;
	u32 lanes;
	u32 mode;
} tn_modes[] = {
	{ 10000, 1, ETHTOOL_LINK_MODE_10000baseCR_Full_BIT },
	{ 25000, 1, ETHTOOL_LINK_MODE_25000baseCR_Full_BIT },
	{ 40000, 4, ETHTOOL_LINK_MODE_40000baseCR4_Full_BIT },
	{ 50000, 2, ETHTOOL_LINK_MODE_50000baseCR2_Full_BIT },
	{ 100000, 4, ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT },
	{ 200000, 4, ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT },
	{ 400000, 4, ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT },
};

static int tn_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *k)
{
	struct tn *tn = to_tn(dev);
	int i;

	if (tn->refuse[RF_LINKMODES])
		return -tn->refuse[RF_LINKMODES];
	ethtool_link_ksettings_zero_link_mode(k, supported);
	ethtool_link_ksettings_zero_link_mode(k, advertising);
	ethtool_link_ksettings_zero_link_mode(k, lp_advertising);
	ethtool_link_ksettings_add_link_mode(k, supported, FIBRE);
	ethtool_link_ksettings_add_link_mode(k, supported, Autoneg);
	ethtool_link_ksettings_add_link_mode(k, supported, Pause);
	ethtool_link_ksettings_add_link_mode(k, supported, FEC_NONE);
	ethtool_link_ksettings_add_link_mode(k, supported, FEC_RS);
	ethtool_link_ksettings_add_link_mode(k, supported, FEC_BASER);
	for (i = 0; i < ARRAY_SIZE(tn_modes); i++)
		if (tn_modes[i].speed <= max_speed)
			__set_bit(tn_modes[i].mode, k->link_modes.supported);
	linkmode_copy(k->link_modes.advertising, tn->advertised);
	ethtool_link_ksettings_add_link_mode(k, advertising, FIBRE);
	ethtool_link_ksettings_add_link_mode(k, advertising, FEC_RS);
	if (tn->autoneg)
		ethtool_link_ksettings_add_link_mode(k, advertising, Autoneg);
	k->base.autoneg = tn->autoneg;
	k->base.port = PORT_DA;
	k->base.speed = SPEED_UNKNOWN;
	k->base.duplex = DUPLEX_UNKNOWN;
	k->lanes = 0;
	if (!netif_carrier_ok(dev))
		return 0;
	k->base.speed = tn->speed;
	k->base.duplex = DUPLEX_FULL;
	for (i = 0; i < ARRAY_SIZE(tn_modes); i++) {
		if (tn_modes[i].speed != tn->speed)
			continue;
		k->lanes = tn_modes[i].lanes;
		if (tn->autoneg) {
			__set_bit(tn_modes[i].mode, k->link_modes.lp_advertising);
			ethtool_link_ksettings_add_link_mode(k, lp_advertising, Autoneg);
			ethtool_link_ksettings_add_link_mode(k, lp_advertising, FEC_RS);
		}
	}
	return 0;
}

static int tn_set_link_ksettings(struct net_device *dev, const struct ethtool_link_ksettings *k)
{
	__ETHTOOL_DECLARE_LINK_MODE_MASK(adv);
	struct tn *tn = to_tn(dev);
	u32 speed = 0;
	int i;

	if (tn->refuse[RF_LINKMODES])
		return -tn->refuse[RF_LINKMODES];
	linkmode_zero(adv);
	for (i = 0; i < ARRAY_SIZE(tn_modes); i++) {
		if (tn_modes[i].speed > max_speed)
			continue;
		if (k->base.autoneg) {
			if (!test_bit(tn_modes[i].mode, k->link_modes.advertising))
				continue;
		} else if (tn_modes[i].speed != k->base.speed || (k->lanes && k->lanes != tn_modes[i].lanes)) {
			continue;
		}
		__set_bit(tn_modes[i].mode, adv);
		speed = tn_modes[i].speed;
	}
	if (!speed)
		return -EINVAL;
	linkmode_copy(tn->advertised, adv);
	tn->autoneg = k->base.autoneg ? AUTONEG_ENABLE : AUTONEG_DISABLE;
	tn->speed = speed;
	return 0;
}

static int tn_get_link_ext_state(struct net_device *dev, struct ethtool_link_ext_state_info *info)
{
	struct tn *tn = to_tn(dev);

	if (netif_carrier_ok(dev) || tn->ext_state < 0)
		return -ENODATA;
	info->link_ext_state = tn->ext_state;
	info->__link_ext_substate = tn->ext_substate;
	return 0;
}

static void tn_get_ringparam(struct net_device *dev, struct ethtool_ringparam *r,
			     struct kernel_ethtool_ringparam *kr, struct netlink_ext_ack *extack)
{
	*r = to_tn(dev)->rings;
}

static int tn_set_ringparam(struct net_device *dev, struct ethtool_ringparam *r,
			    struct kernel_ethtool_ringparam *kr, struct netlink_ext_ack *extack)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_RINGS])
		return -tn->refuse[RF_RINGS];
	if (r->rx_pending < 64 || r->tx_pending < 64)
		return -EINVAL;
	tn->rings.rx_pending = r->rx_pending;
	tn->rings.tx_pending = r->tx_pending;
	return 0;
}

static const struct ethtool_ops tn_ethtool_ops = {
	.cap_link_lanes_supported = 1,
	.begin = tn_begin,
	.complete = tn_complete,
	.get_drvinfo = tn_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ext_state = tn_get_link_ext_state,
	.get_ringparam = tn_get_ringparam,
	.set_ringparam = tn_set_ringparam,
	.get_pause_stats = tn_get_pause_stats,
	.get_pauseparam = tn_get_pauseparam,
	.set_pauseparam = tn_set_pauseparam,
	.get_strings = tn_get_strings,
	.get_ethtool_stats = tn_get_ethtool_stats,
	.get_sset_count = tn_get_sset_count,
	.get_link_ksettings = tn_get_link_ksettings,
	.set_link_ksettings = tn_set_link_ksettings,
	.get_fec_stats = tn_get_fec_stats,
	.get_fecparam = tn_get_fecparam,
	.set_fecparam = tn_set_fecparam,
	.get_eth_phy_stats = tn_get_eth_phy_stats,
	.get_eth_mac_stats = tn_get_eth_mac_stats,
	.get_eth_ctrl_stats = tn_get_eth_ctrl_stats,
	.get_rmon_stats = tn_get_rmon_stats,
};

/* ---- DCB ------------------------------------------------------------------------------------------------------- */

static int tn_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct tn *tn = to_tn(dev);
	int p;

	if (tn->refuse[RF_PFC])
		return -tn->refuse[RF_PFC];
	*pfc = tn->pfc;
	for (p = 0; p < TN_PRIOS; p++) {
		pfc->indications[p] = tn_role(tn, R_PAUSE0 + 2 * p);
		pfc->requests[p] = tn_role(tn, R_PAUSE0 + 2 * p + 1);
	}
	return 0;
}

static int tn_setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_PFC])
		return -tn->refuse[RF_PFC];
	tn->pfc.pfc_en = pfc->pfc_en;
	tn->pfc.mbc = pfc->mbc;
	tn->pfc.delay = pfc->delay;
	return 0;
}

static int tn_getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_ETS])
		return -tn->refuse[RF_ETS];
	*ets = tn->ets;
	return 0;
}

static int tn_setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct tn *tn = to_tn(dev);
	bool any = false;
	int i, sum = 0;

	if (tn->refuse[RF_ETS])
		return -tn->refuse[RF_ETS];
	for (i = 0; i < TN_PRIOS; i++) {
		if (ets->prio_tc[i] >= TN_PRIOS)
			return -EINVAL;
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			continue;
		any = true;
		sum += ets->tc_tx_bw[i];
	}
	if (any && sum != 100)
		return -EINVAL;
	memcpy(tn->ets.tc_tx_bw, ets->tc_tx_bw, sizeof(ets->tc_tx_bw));
	memcpy(tn->ets.tc_tsa, ets->tc_tsa, sizeof(ets->tc_tsa));
	memcpy(tn->ets.prio_tc, ets->prio_tc, sizeof(ets->prio_tc));
	return 0;
}

static int tn_getmaxrate(struct net_device *dev, struct ieee_maxrate *m)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_MAXRATE])
		return -tn->refuse[RF_MAXRATE];
	*m = tn->maxrate;
	return 0;
}

static int tn_setmaxrate(struct net_device *dev, struct ieee_maxrate *m)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_MAXRATE])
		return -tn->refuse[RF_MAXRATE];
	tn->maxrate = *m;
	return 0;
}

static int tn_getbuffer(struct net_device *dev, struct dcbnl_buffer *b)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_BUFFER])
		return -tn->refuse[RF_BUFFER];
	*b = tn->buffer;
	return 0;
}

static int tn_setbuffer(struct net_device *dev, struct dcbnl_buffer *b)
{
	struct tn *tn = to_tn(dev);
	u64 sum = 0;
	int i;

	if (tn->refuse[RF_BUFFER])
		return -tn->refuse[RF_BUFFER];
	for (i = 0; i < DCBX_MAX_BUFFERS; i++) {
		if (b->prio2buffer[i] >= DCBX_MAX_BUFFERS)
			return -EINVAL;
		sum += b->buffer_size[i];
	}
	if (sum > TN_TOTAL_BUFFER)
		return -EINVAL;
	memcpy(tn->buffer.prio2buffer, b->prio2buffer, sizeof(b->prio2buffer));
	memcpy(tn->buffer.buffer_size, b->buffer_size, sizeof(b->buffer_size));
	return 0;
}

/* As mlx5: one entry for a DSCP, any DSCP entry makes the port trust DSCP, without one it trusts PCP. */
static int tn_setapp(struct net_device *dev, struct dcb_app *app)
{
	struct tn *tn = to_tn(dev);
	struct dcb_app old = *app;
	int err;

	if (tn->refuse[RF_APP])
		return -tn->refuse[RF_APP];
	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP)
		return dcb_ieee_setapp(dev, app);
	if (app->protocol >= TN_DSCPS || app->priority >= TN_PRIOS)
		return -EINVAL;
	old.priority = tn->dscp2prio[app->protocol];
	if (!dcb_ieee_delapp(dev, &old))
		WRITE_ONCE(tn->dscp_entries, tn->dscp_entries - 1);
	err = dcb_ieee_setapp(dev, app);
	if (err)
		return err;
	WRITE_ONCE(tn->dscp2prio[app->protocol], app->priority);
	WRITE_ONCE(tn->dscp_entries, tn->dscp_entries + 1);
	return 0;
}

static int tn_delapp(struct net_device *dev, struct dcb_app *app)
{
	struct tn *tn = to_tn(dev);
	int err;

	if (tn->refuse[RF_APP])
		return -tn->refuse[RF_APP];
	err = dcb_ieee_delapp(dev, app);
	if (err || app->selector != IEEE_8021QAZ_APP_SEL_DSCP)
		return err;
	WRITE_ONCE(tn->dscp2prio[app->protocol], 0);
	WRITE_ONCE(tn->dscp_entries, tn->dscp_entries - 1);
	return 0;
}

static u8 tn_getdcbx(struct net_device *dev)
{
	return to_tn(dev)->dcbx;
}

static u8 tn_setdcbx(struct net_device *dev, u8 mode)
{
	struct tn *tn = to_tn(dev);

	if (tn->refuse[RF_DCBX])
		return 1;
	tn->dcbx = mode;
	return 0;
}

static const struct dcbnl_rtnl_ops tn_dcb_ops = {
	.ieee_getpfc = tn_getpfc,
	.ieee_setpfc = tn_setpfc,
	.ieee_getets = tn_getets,
	.ieee_setets = tn_setets,
	.ieee_getmaxrate = tn_getmaxrate,
	.ieee_setmaxrate = tn_setmaxrate,
	.ieee_setapp = tn_setapp,
	.ieee_delapp = tn_delapp,
	.getdcbx = tn_getdcbx,
	.setdcbx = tn_setdcbx,
	.dcbnl_getbuffer = tn_getbuffer,
	.dcbnl_setbuffer = tn_setbuffer,
};

/* ---- PCIe link ------------------------------------------------------------------------------------------------- */

/*
 * QEMU's endpoints say x1 2.5 GT/s and the port above follows them. Reads of the link registers of both are rewritten
 * on the way, so that the kernel's own sysfs files and lspci tell what was asked for.
 */
struct tn_fake {
	struct tn *tn;
	struct pci_bus *bus;
	unsigned int devfn;
	int cap;
	bool port;
};

struct tn_tap {
	struct pci_bus *bus;
	struct pci_ops *orig;
	struct pci_ops ops;
};

static struct tn_fake tn_fakes[2 * TN_MAX_NICS];
static struct tn_tap tn_taps[2 * TN_MAX_NICS];
static int tn_fake_count, tn_tap_count;

static u32 tn_fake_dword(const struct tn_fake *f, int reg, u32 v)
{
	u32 width = f->tn->pci[f->port ? P_PORT_MAX_WIDTH : P_MAX_WIDTH];
	u32 speed = f->tn->pci[f->port ? P_PORT_MAX_SPEED : P_MAX_SPEED];

	switch (reg) {
	case PCI_EXP_LNKCAP:
		return (v & ~(PCI_EXP_LNKCAP_SLS | PCI_EXP_LNKCAP_MLW)) | speed | width << 4;
	case PCI_EXP_LNKCAP2:
		return (v & ~0xfe) | GENMASK(speed, 1);
	default: /* link control below, link status above */
		return (v & ~((u32)(PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW) << 16)) |
			(f->tn->pci[P_CUR_SPEED] | f->tn->pci[P_CUR_WIDTH] << 4) << 16;
	}
}

static int tn_cfg_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	static const int regs[] = { PCI_EXP_LNKCAP, PCI_EXP_LNKCTL, PCI_EXP_LNKCAP2 };
	struct pci_ops *orig = NULL;
	int i, r, b, err;
	u32 dword;

	for (i = 0; i < tn_tap_count; i++)
		if (tn_taps[i].bus == bus)
			orig = tn_taps[i].orig;
	if (!orig)
		return PCIBIOS_DEVICE_NOT_FOUND;
	err = orig->read(bus, devfn, where, size, val);
	if (err)
		return err;
	for (i = 0; i < tn_fake_count; i++) {
		if (tn_fakes[i].bus != bus || tn_fakes[i].devfn != devfn)
			continue;
		for (r = 0; r < ARRAY_SIZE(regs); r++) {
			int off = tn_fakes[i].cap + regs[r];

			if (where >= off + 4 || where + size <= off)
				continue;
			if (orig->read(bus, devfn, off, 4, &dword))
				continue;
			dword = tn_fake_dword(&tn_fakes[i], regs[r], dword);
			for (b = 0; b < size; b++) {
				int at = where + b - off;

				if (at < 0 || at > 3)
					continue;
				*val &= ~(0xffu << (8 * b));
				*val |= (dword >> (8 * at) & 0xff) << (8 * b);
			}
		}
	}
	return 0;
}

static void tn_fake_pci(struct tn *tn, struct pci_dev *pdev, bool port)
{
	struct tn_tap *tap;
	int i;

	if (!pdev || !pci_is_pcie(pdev))
		return;
	tn_fakes[tn_fake_count] = (struct tn_fake) {
		.tn = tn, .bus = pdev->bus, .devfn = pdev->devfn, .cap = pdev->pcie_cap, .port = port,
	};
	tn_fake_count++;
	for (i = 0; i < tn_tap_count; i++)
		if (tn_taps[i].bus == pdev->bus)
			return;
	tap = &tn_taps[tn_tap_count];
	tap->bus = pdev->bus;
	get_device(&tap->bus->dev);
	tap->orig = pdev->bus->ops;
	tap->ops = *tap->orig;
	tap->ops.read = tn_cfg_read;
	tn_tap_count++;
	pci_bus_set_ops(tap->bus, &tap->ops);
}

static void tn_restore_pci(void)
{
	int i;

	for (i = 0; i < tn_tap_count; i++)
		pci_bus_set_ops(tn_taps[i].bus, tn_taps[i].orig);
	/* x86 reads config space without a lock: let readers that still run our function leave it. */
	synchronize_rcu();
	for (i = 0; i < tn_tap_count; i++)
		put_device(&tn_taps[i].bus->dev);
	tn_tap_count = 0;
	tn_fake_count = 0;
}

/* ---- knobs ----------------------------------------------------------------------------------------------------- */

static int tn_find(const char * const *names, int n, const char *what)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], what))
			return i;
	return -ENOENT;
}

static int tn_refuse(struct tn *tn, const char *what, const char *value)
{
	unsigned int v;
	int i, err;

	err = kstrtouint(value, 0, &v);
	if (err)
		return err;
	if (!strcmp(what, tn_file_names[F_DELAY])) {
		if (v > TN_MAX_DELAY_MS)
			return -ERANGE;
		tn->delay_ms = v;
		return 0;
	}
	if (v > MAX_ERRNO)
		return -ERANGE;
	if (!strcmp(what, "all")) {
		if (v)
			return -EINVAL;
		memset(tn->refuse, 0, sizeof(tn->refuse));
	} else {
		i = tn_find(tn_refusal_names, RF_COUNT, what);
		if (i < 0)
			return i;
		tn->refuse[i] = v;
	}
	tn->eops.get_pauseparam = tn->refuse[RF_PAUSE] ? NULL : tn_get_pauseparam;
	tn->eops.get_ringparam = tn->refuse[RF_RINGS] ? NULL : tn_get_ringparam;
	return 0;
}

static int tn_set_pci(struct tn *tn, const char *what, const char *value)
{
	unsigned int v;
	int i, err;

	err = kstrtouint(value, 0, &v);
	if (err)
		return err;
	i = tn_find(tn_pci_names, P_COUNT, what);
	if (i < 0)
		return i;
	if (v < 1 || v > (i == P_MAX_SPEED || i == P_CUR_SPEED || i == P_PORT_MAX_SPEED ? 6 : 32))
		return -ERANGE;
	WRITE_ONCE(tn->pci[i], v);
	return 0;
}

static int tn_set_ext_state(struct tn *tn, const char *state, const char *substate)
{
	unsigned int sub = 0;
	int v, err;

	err = kstrtoint(state, 0, &v);
	if (!err && substate)
		err = kstrtouint(substate, 0, &sub);
	if (err)
		return err;
	if (v < -1 || v > 255 || sub > 255)
		return -ERANGE;
	tn->ext_state = v;
	tn->ext_substate = sub;
	return 0;
}

/* One knob turned; runs under the RTNL, and only while the device is registered. */
static int tn_turn(struct tn *tn, enum tn_file file, char *a, char *b)
{
	u32 on;
	u64 v;
	int i, err;

	switch (file) {
	case F_SET:
	case F_RATE:
		i = b ? tn_find_stat(a) : -EINVAL;
		if (i < 0)
			return i;
		err = kstrtou64(b, 0, &v);
		if (err)
			return err;
		if (file == F_SET)
			tn_set_counter(tn, i, v);
		else
			tn_set_rate(tn, i, v);
		return 0;
	case F_REFUSE:
		return b ? tn_refuse(tn, a, b) : -EINVAL;
	case F_PCI:
		return b ? tn_set_pci(tn, a, b) : -EINVAL;
	case F_EXT_STATE:
		return tn_set_ext_state(tn, a, b);
	case F_DELAY:
		return b ? -EINVAL : tn_refuse(tn, tn_file_names[F_DELAY], a);
	case F_SPEED:
		return b ? -EINVAL : kstrtou32(a, 0, &tn->speed);
	default:
		break;
	}
	err = b ? -EINVAL : kstrtou32(a, 0, &on);
	if (err)
		return err;
	if (on > 1)
		return -ERANGE;
	if (file == F_LINK) {
		tn->link = on;
		tn_update_carrier(tn);
	} else if (file == F_BAD_NAMES) {
		tn->bad_names = on;
	} else if (file == F_GONE && on) {
		schedule_work(&tn->gone_work);
	} else if (file == F_COUNTERS) {
		return -EACCES;
	}
	return 0;
}

static ssize_t tn_knob_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	const struct tn_knob *knob = ((struct seq_file *)file->private_data)->private;
	char text[TN_MAX_INPUT], *rest, *a, *b;
	struct tn *tn = knob->tn;
	int err;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = '\0';
	rest = strim(text);
	if (knob->file == F_PATH) {
		rtnl_lock();
		err = !tn->registered ? -ENODEV : *rest ? rr_path_write(tn->path, rest) : -EINVAL;
		rtnl_unlock();
		return err ? err : len;
	}
	a = strsep(&rest, " \t");
	b = rest ? skip_spaces(rest) : NULL;
	if (!*a)
		return -EINVAL;
	rtnl_lock();
	err = tn->registered ? tn_turn(tn, knob->file, a, b) : -ENODEV;
	rtnl_unlock();
	return err ? err : len;
}

static int tn_knob_show(struct seq_file *s, void *unused)
{
	const struct tn_knob *knob = s->private;
	struct tn *tn = knob->tn;
	int i;

	rtnl_lock();
	switch (knob->file) {
	case F_SET:
	case F_RATE:
	case F_COUNTERS:
		for (i = 0; i < TN_STATS; i++) {
			if (knob->file == F_RATE) {
				if (tn->counters[i].rate)
					seq_printf(s, "%s %llu\n", tn_stats[i].name, tn->counters[i].rate);
			} else {
				seq_printf(s, "%s %llu\n", tn_stats[i].name, tn_value(tn, i));
			}
		}
		break;
	case F_LINK:
		seq_printf(s, "%d\n", tn->link);
		break;
	case F_EXT_STATE:
		seq_printf(s, "%d %u\n", tn->ext_state, tn->ext_substate);
		break;
	case F_SPEED:
		seq_printf(s, "%u\n", tn->speed);
		break;
	case F_REFUSE:
		for (i = 0; i < RF_COUNT; i++)
			seq_printf(s, "%s %d\n", tn_refusal_names[i], tn->refuse[i]);
		break;
	case F_DELAY:
		seq_printf(s, "%u\n", tn->delay_ms);
		break;
	case F_BAD_NAMES:
		seq_printf(s, "%d\n", tn->bad_names);
		break;
	case F_PCI:
		for (i = 0; i < P_COUNT; i++)
			seq_printf(s, "%s %u\n", tn_pci_names[i], tn->pci[i]);
		break;
	case F_PATH:
		rr_path_show(tn->path, s);
		break;
	default:
		seq_printf(s, "%d\n", !tn->registered);
		break;
	}
	rtnl_unlock();
	return 0;
}

static int tn_knob_open(struct inode *inode, struct file *file)
{
	return single_open(file, tn_knob_show, inode->i_private);
}

static const struct file_operations tn_knob_fops = {
	.owner = THIS_MODULE,
	.open = tn_knob_open,
	.read = seq_read,
	.write = tn_knob_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static void tn_add_knobs(struct tn *tn)
{
	int i;

	tn->dir = debugfs_create_dir(tn->dev->name, tn_root);
	for (i = 0; i < F_COUNT; i++) {
		tn->knobs[i] = (struct tn_knob) { tn, i };
		debugfs_create_file(tn_file_names[i], i == F_COUNTERS ? 0400 : 0600, tn->dir, &tn->knobs[i],
				    &tn_knob_fops);
	}
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

static void tn_release_low(struct tn *tn)
{
	struct net_device *low = tn_low(tn);

	if (!low)
		return;
	netdev_rx_handler_unregister(low);
	dev_set_promiscuity(low, -1);
	RCU_INIT_POINTER(tn->low, NULL);
	synchronize_net();
	dev_put(low);
}

/* Knob files keep answering (ENODEV) until the module goes: removing them here would wait for the writer. */
static void tn_unregister_locked(struct tn *tn)
{
	ASSERT_RTNL();
	if (!tn->registered)
		return;
	tn->registered = false;
	tn_release_low(tn);
	rr_path_stop(tn->path);
	unregister_netdevice(tn->dev);
}

static void tn_unregister(struct tn *tn)
{
	rtnl_lock();
	tn_unregister_locked(tn);
	rtnl_unlock();
}

static void tn_gone(struct work_struct *work)
{
	tn_unregister(container_of(work, struct tn, gone_work));
}

static void tn_defaults(struct tn *tn)
{
	static const u8 tx_bw[TN_PRIOS] = { 17, 17, 17, 17, 16, 16, 0, 0 };
	int i;

	tn->pfc.pfc_cap = TN_PRIOS;
	tn->pfc.delay = 7;
	tn->ets.ets_cap = TN_PRIOS;
	for (i = 0; i < TN_PRIOS; i++) {
		tn->ets.prio_tc[i] = i;
		tn->ets.tc_tx_bw[i] = tx_bw[i];
		tn->ets.tc_tsa[i] = tx_bw[i] ? IEEE_8021QAZ_TSA_ETS : IEEE_8021QAZ_TSA_STRICT;
	}
	tn->buffer.buffer_size[0] = TN_TOTAL_BUFFER;
	tn->buffer.total_size = TN_TOTAL_BUFFER;
	tn->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	tn->rings = (struct ethtool_ringparam) {
		.rx_max_pending = 8192, .tx_max_pending = 8192, .rx_pending = 1024, .tx_pending = 1024,
	};
	tn->fec = ETHTOOL_FEC_AUTO;
	tn->speed = max_speed;
	tn->autoneg = AUTONEG_ENABLE;
	for (i = 0; i < ARRAY_SIZE(tn_modes); i++)
		if (tn_modes[i].speed <= max_speed)
			__set_bit(tn_modes[i].mode, tn->advertised);
	tn->link = true;
	tn->ext_state = -1;
	tn->pci[P_MAX_WIDTH] = clamp(pci_max_width, 1u, 32u);
	tn->pci[P_CUR_WIDTH] = clamp(pci_cur_width ?: pci_max_width, 1u, 32u);
	tn->pci[P_MAX_SPEED] = clamp(pci_max_speed, 1u, 6u);
	tn->pci[P_CUR_SPEED] = clamp(pci_cur_speed ?: pci_max_speed, 1u, 6u);
	tn->pci[P_PORT_MAX_WIDTH] = clamp(port_max_width, 1u, 32u);
	tn->pci[P_PORT_MAX_SPEED] = clamp(port_max_speed, 1u, 6u);
}

static void tn_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &tn_netdev_ops;
	dev->dcbnl_ops = &tn_dcb_ops;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = 9978;
	dev->priv_flags |= IFF_NO_QUEUE;
}

static struct pci_dev *tn_pci_of(struct net_device *low)
{
	struct device *d;

	for (d = low->dev.parent; d; d = d->parent)
		if (dev_is_pci(d))
			return to_pci_dev(d);
	return NULL;
}

static int tn_attach(struct tn *tn, struct net_device *low)
{
	int err = register_netdevice(tn->dev);
	struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP };

	if (err)
		return err;
	netif_carrier_off(tn->dev);
	err = netdev_rx_handler_register(low, tn_rx, tn);
	if (err) {
		unregister_netdevice(tn->dev);
		return err;
	}
	rcu_assign_pointer(tn->low, low);
	/* LLDP and other link-local multicast must reach the test NIC whatever the lower device filters. */
	dev_set_promiscuity(low, 1);
	tn->registered = true;
	for (; !strcmp(trust, "dscp") && app.protocol < TN_DSCPS; app.protocol++) {
		app.priority = app.protocol / 8;
		err = tn_setapp(tn->dev, &app);
		if (err)
			netdev_warn(tn->dev, "DSCP %u: error %d\n", app.protocol, err);
	}
	return 0;
}

static int tn_create(int index, const char *low_name)
{
	struct net_device *low, *dev;
	struct pci_dev *pdev;
	char dev_name[IFNAMSIZ];
	struct tn *tn;
	int err;

	if (snprintf(dev_name, sizeof(dev_name), "%s%d", name, index) >= sizeof(dev_name) ||
	    !dev_valid_name(dev_name))
		return -EINVAL;
	low = dev_get_by_name(&init_net, low_name);
	if (!low) {
		pr_err("no network device is called %s\n", low_name);
		return -ENODEV;
	}
	err = -ENOMEM;
	tn = kzalloc(sizeof(*tn), GFP_KERNEL);
	if (!tn)
		goto put;
	tn->path = rr_path_new(tn_deliver, tn);
	if (!tn->path)
		goto free_tn;
	dev = alloc_netdev(sizeof(struct tn_priv), dev_name, NET_NAME_USER, tn_setup);
	if (!dev)
		goto free_path;
	dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!dev->tstats)
		goto free_dev;
	((struct tn_priv *)netdev_priv(dev))->tn = tn;
	tn->dev = dev;
	tn->eops = tn_ethtool_ops;
	dev->ethtool_ops = &tn->eops;
	spin_lock_init(&tn->lock);
	INIT_WORK(&tn->gone_work, tn_gone);
	tn_defaults(tn);
	eth_hw_addr_set(dev, low->dev_addr);
	dev->mtu = min(low->mtu, dev->max_mtu);
	pdev = tn_pci_of(low);
	if (pdev)
		SET_NETDEV_DEV(dev, &pdev->dev);
	rtnl_lock();
	err = tn_attach(tn, low);
	rtnl_unlock();
	if (err)
		goto free_stats;
	tns[index] = tn;
	if (pdev) {
		tn_fake_pci(tn, pdev, false);
		tn_fake_pci(tn, pci_upstream_bridge(pdev), true);
	}
	tn_add_knobs(tn);
	return 0;

free_stats:
	free_percpu(dev->tstats);
free_dev:
	free_netdev(dev);
free_path:
	rr_path_free(tn->path);
free_tn:
	kfree(tn);
put:
	dev_put(low);
	return err;
}

static void tn_destroy(int index)
{
	struct tn *tn = tns[index];

	if (!tn)
		return;
	debugfs_remove_recursive(tn->dir);
	cancel_work_sync(&tn->gone_work);
	tn_unregister(tn);
	free_percpu(tn->dev->tstats);
	free_netdev(tn->dev);
	rr_path_free(tn->path);
	kfree(tn);
	tns[index] = NULL;
}

static int tn_lower_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	int i;

	for (i = 0; i < TN_MAX_NICS; i++) {
		struct tn *tn = tns[i];

		if (!tn || !tn->registered || tn_low(tn) != dev)
			continue;
		if (event == NETDEV_UNREGISTER)
			tn_unregister_locked(tn);
		else
			tn_update_carrier(tn);
	}
	return NOTIFY_DONE;
}

static struct notifier_block tn_notifier = { .notifier_call = tn_lower_event };

static void tn_cleanup(void)
{
	int i;

#ifdef CONFIG_X86_64
	if (tn_probe_set)
		unregister_kprobe(&tn_probe);
#endif
	tn_restore_pci();
	for (i = 0; i < TN_MAX_NICS; i++)
		tn_destroy(i);
	debugfs_remove_recursive(tn_root);
}

static int __init tn_init(void)
{
	int i, err;

	err = tn_init_roles();
	if (err)
		return err;
	if (!lower_count)
		lower[lower_count++] = "eth0";
	tn_root = debugfs_create_dir(KBUILD_MODNAME, NULL);
	for (i = 0; i < lower_count; i++) {
		err = tn_create(i, lower[i]);
		if (err) {
			tn_cleanup();
			return err;
		}
	}
	err = register_netdevice_notifier(&tn_notifier);
	if (err) {
		tn_cleanup();
		return err;
	}
#ifdef CONFIG_X86_64
	err = register_kprobe(&tn_probe);
	tn_probe_set = !err;
	if (err)
		pr_info("no probe on the ethtool ioctl (%d): refusals of one command hit all statistics\n", err);
#endif
	return 0;
}

static void __exit tn_exit(void)
{
	unregister_netdevice_notifier(&tn_notifier);
	tn_cleanup();
}

module_init(tn_init);
module_exit(tn_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test NIC with the DCB, ethtool and PCIe face of an mlx5 port");
