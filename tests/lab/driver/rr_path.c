// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/inet.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "rr_path.h"

#define RR_MAX_RULES	16
#define RR_MAX_WAITING	4096
#define RR_MAX_DELAY_US	60000000
#define RR_MAX_HOLD	1000
/* A frame that nobody overtakes arrives all the same. */
#define RR_HOLD_NS	(200 * NSEC_PER_MSEC)
#define ROCE_V2_PORT	4791

struct rr_rule {
	char text[RR_PATH_MAX_TEXT];
	/* what it matches; -1: anything */
	int udp, dscp, ecn, qp, sqp, family;
	u32 sport, sport_mask;
	u32 op, op_mask;
	u32 len_low, len_high;
	int src_family;
	struct in6_addr src;
	u32 pick, of;
	u64 limit;		/* 0: none */
	/* what it does; -1: leaves it */
	int set_dscp, set_ecn, set_ttl;
	u32 delay_us, hold;
	bool drop, dup;
	/* state */
	u32 phase;		/* pick is added for every match; the match at which it reaches `of` is picked */
	u32 overtakers;		/* > 0: a frame is held until so many more matched */
	u64 matched, done;
};

enum { RR_DROPPED, RR_REWRITTEN, RR_DELAYED, RR_DUPLICATED, RR_HELD, RR_OVERFLOW, RR_TOTALS };

static const char * const rr_total_names[RR_TOTALS] = {
	"dropped", "rewritten", "delayed", "duplicated", "held", "overflow",
};

struct rr_path {
	void (*deliver)(void *context, struct sk_buff *skb);
	void *context;
	spinlock_t lock;	/* everything below */
	int count;		/* also read without the lock: 0 means nothing to do */
	bool stopped;
	struct rr_rule rules[RR_MAX_RULES];
	u64 totals[RR_TOTALS];
	struct sk_buff_head waiting;	/* sorted by the time at which they go on */
	struct hrtimer timer;
};

/* In skb->cb of a frame that waits. */
struct rr_wait {
	ktime_t due;
	int rule;	/* that holds it, -1: it waits for its time */
};

static struct rr_wait *rr_wait(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct rr_wait) > sizeof(skb->cb));
	return (struct rr_wait *)skb->cb;
}

/* ---- what a frame is ------------------------------------------------------------------------------------------- */

struct rr_frame {
	int family;
	u8 dsfield;
	u32 len;		/* of the IP packet */
	struct in6_addr src;	/* IPv4: the first word */
	bool udp;
	u16 sport, dport;
	bool bth;
	u8 op;
	u32 qp;
	bool deth;
	u32 sqp;
};

static int rr_parse_l3(struct sk_buff *skb, struct rr_frame *f)
{
	struct ipv6hdr _ip6, *ip6;
	struct iphdr _ip, *ip;

	if (skb->protocol == htons(ETH_P_IP)) {
		ip = skb_header_pointer(skb, 0, sizeof(_ip), &_ip);
		if (!ip || ip->version != 4 || ip->ihl < 5)
			return -1;
		f->family = 4;
		f->dsfield = ip->tos;
		f->len = ntohs(ip->tot_len);
		f->src.s6_addr32[0] = ip->saddr;
		return ip->protocol == IPPROTO_UDP && !(ip->frag_off & htons(0x1fff)) ? ip->ihl * 4 : 0;
	}
	if (skb->protocol == htons(ETH_P_IPV6)) {
		ip6 = skb_header_pointer(skb, 0, sizeof(_ip6), &_ip6);
		if (!ip6)
			return -1;
		f->family = 6;
		f->dsfield = ipv6_get_dsfield(ip6);
		f->len = ntohs(ip6->payload_len) + sizeof(*ip6);
		f->src = ip6->saddr;
		return ip6->nexthdr == IPPROTO_UDP ? sizeof(*ip6) : 0;
	}
	return -1;
}

/* False: not IP. */
static bool rr_parse(struct sk_buff *skb, struct rr_frame *f)
{
	struct { u8 op, flags; __be16 pkey; __be32 qp; } _bth, *bth;
	struct { __be32 qkey, sqp; } _deth, *deth;
	struct udphdr _udp, *udp;
	int l4;

	memset(f, 0, sizeof(*f));
	l4 = rr_parse_l3(skb, f);
	if (l4 < 0)
		return false;
	udp = l4 ? skb_header_pointer(skb, l4, sizeof(_udp), &_udp) : NULL;
	if (!udp)
		return true;
	f->udp = true;
	f->sport = ntohs(udp->source);
	f->dport = ntohs(udp->dest);
	bth = skb_header_pointer(skb, l4 + sizeof(*udp), sizeof(_bth), &_bth);
	if (bth) {
		f->bth = true;
		f->op = bth->op;
		f->qp = ntohl(bth->qp) & 0xffffff;
	}
	/* UD opcodes have the datagram header after the base transport header of 12 bytes. */
	deth = f->bth && f->op >> 5 == 3 ? skb_header_pointer(skb, l4 + sizeof(*udp) + 12, sizeof(_deth), &_deth) : NULL;
	if (deth) {
		f->deth = true;
		f->sqp = ntohl(deth->sqp) & 0xffffff;
	}
	return true;
}

static bool rr_matches(const struct rr_rule *r, const struct rr_frame *f)
{
	if (r->udp > 0 && (!f->udp || f->dport != r->udp))
		return false;
	if (r->sport_mask && (!f->udp || (f->sport & r->sport_mask) != r->sport))
		return false;
	if (r->op_mask && (!f->bth || (f->op & r->op_mask) != r->op))
		return false;
	if (r->qp >= 0 && (!f->bth || f->qp != r->qp))
		return false;
	if (r->sqp >= 0 && (!f->deth || f->sqp != r->sqp))
		return false;
	if (r->dscp >= 0 && f->dsfield >> 2 != r->dscp)
		return false;
	if (r->ecn >= 0 && (f->dsfield & INET_ECN_MASK) != r->ecn)
		return false;
	if (r->family >= 0 && f->family != r->family)
		return false;
	if (f->len < r->len_low || f->len > r->len_high)
		return false;
	if (r->src_family >= 0 && (f->family != r->src_family || memcmp(&f->src, &r->src, sizeof(f->src))))
		return false;
	return true;
}

/* ---- what happens to it ---------------------------------------------------------------------------------------- */

/* The IPv4 checksum is mended; the invariant CRC of RoCE leaves DSCP, ECN and TTL out. */
static void rr_rewrite(struct rr_path *p, const struct rr_rule *r, struct sk_buff *skb, struct rr_frame *f)
{
	u8 ds = f->dsfield;

	if (r->set_dscp >= 0)
		ds = r->set_dscp << 2 | (ds & INET_ECN_MASK);
	if (r->set_ecn >= 0)
		ds = (ds & ~INET_ECN_MASK) | r->set_ecn;
	if (ds == f->dsfield && r->set_ttl < 0)
		return;
	if (skb_ensure_writable(skb, f->family == 4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)))
		return;
	if (f->family == 4) {
		struct iphdr *ip = (struct iphdr *)skb->data;

		ipv4_change_dsfield(ip, 0, ds);
		if (r->set_ttl >= 0) {
			csum_replace2(&ip->check, htons(ip->ttl << 8), htons(r->set_ttl << 8));
			ip->ttl = r->set_ttl;
		}
	} else {
		struct ipv6hdr *ip6 = (struct ipv6hdr *)skb->data;

		ipv6_change_dsfield(ip6, 0, ds);
		if (r->set_ttl >= 0)
			ip6->hop_limit = r->set_ttl;
		/* The sum over the whole packet that some devices give along is no longer right. */
		if (skb->ip_summed == CHECKSUM_COMPLETE)
			skb->ip_summed = CHECKSUM_NONE;
	}
	f->dsfield = ds;
	p->totals[RR_REWRITTEN]++;
}

static void rr_arm(struct rr_path *p)
{
	struct sk_buff *first = skb_peek(&p->waiting);

	if (first && !p->stopped)
		hrtimer_start(&p->timer, rr_wait(first)->due, HRTIMER_MODE_ABS_SOFT);
}

/* Takes the frame. Frames with the same time go on in the order in which they came. */
static void rr_enqueue(struct rr_path *p, struct sk_buff *skb, ktime_t due, int rule)
{
	struct sk_buff *before;

	if (p->stopped || skb_queue_len(&p->waiting) >= RR_MAX_WAITING) {
		p->totals[RR_OVERFLOW]++;
		kfree_skb(skb);
		return;
	}
	*rr_wait(skb) = (struct rr_wait) { due, rule };
	skb_queue_reverse_walk(&p->waiting, before)
		if (rr_wait(before)->due <= due)
			break;
	/* Before the first one this is the head of the list. */
	__skb_queue_after(&p->waiting, before, skb);
	rr_arm(p);
}

static enum hrtimer_restart rr_due(struct hrtimer *timer)
{
	struct rr_path *p = container_of(timer, struct rr_path, timer);
	struct sk_buff_head ready;
	struct sk_buff *skb;
	ktime_t now;

	__skb_queue_head_init(&ready);
	spin_lock(&p->lock);
	now = ktime_get();
	while ((skb = skb_peek(&p->waiting)) && rr_wait(skb)->due <= now) {
		if (rr_wait(skb)->rule >= 0)
			p->rules[rr_wait(skb)->rule].overtakers = 0;
		__skb_unlink(skb, &p->waiting);
		__skb_queue_tail(&ready, skb);
	}
	rr_arm(p);
	spin_unlock(&p->lock);
	while ((skb = __skb_dequeue(&ready)))
		p->deliver(p->context, skb);
	return HRTIMER_NORESTART;
}

/* The rule matched once more: is that the last frame which the one it holds must let pass? */
static void rr_overtake(struct rr_path *p, int rule, struct sk_buff_head *after)
{
	struct rr_rule *r = &p->rules[rule];
	struct sk_buff *skb, *next;

	if (!r->overtakers || --r->overtakers)
		return;
	skb_queue_walk_safe(&p->waiting, skb, next) {
		if (rr_wait(skb)->rule != rule)
			continue;
		__skb_unlink(skb, &p->waiting);
		__skb_queue_tail(after, skb);
	}
}

static bool rr_picked(struct rr_rule *r)
{
	r->phase += r->pick;
	if (r->phase < r->of)
		return false;
	r->phase -= r->of;
	if (r->limit && r->done >= r->limit)
		return false;
	r->done++;
	return true;
}

bool rr_path_take(struct rr_path *p, struct sk_buff *skb)
{
	struct sk_buff *copy = NULL;
	struct sk_buff_head after;
	bool drop = false, dup = false, taken = false;
	int i, holder = -1;
	struct rr_frame f;
	u64 delay_ns = 0;

	if (!READ_ONCE(p->count) || !rr_parse(skb, &f))
		return false;
	__skb_queue_head_init(&after);
	spin_lock(&p->lock);
	for (i = 0; i < p->count && !drop; i++) {
		struct rr_rule *r = &p->rules[i];

		if (!rr_matches(r, &f))
			continue;
		r->matched++;
		rr_overtake(p, i, &after);
		if (!rr_picked(r))
			continue;
		drop = r->drop;
		dup |= r->dup;
		delay_ns += (u64)r->delay_us * NSEC_PER_USEC;
		if (r->hold && !r->overtakers && holder < 0) {
			r->overtakers = r->hold;
			holder = i;
		}
		if (!drop)
			rr_rewrite(p, r, skb, &f);
	}
	if (drop) {
		p->totals[RR_DROPPED]++;
		if (holder >= 0)
			p->rules[holder].overtakers = 0;
	} else {
		if (dup)
			copy = skb_copy(skb, GFP_ATOMIC);
		p->totals[RR_DUPLICATED] += !!copy;
		p->totals[RR_DELAYED] += !!delay_ns;
		p->totals[RR_HELD] += holder >= 0;
		if (delay_ns || holder >= 0) {
			ktime_t due = ktime_get() + delay_ns + (holder >= 0 ? RR_HOLD_NS : 0);

			rr_enqueue(p, skb, due, holder);
			if (copy)
				rr_enqueue(p, copy, due, holder);
			copy = NULL;
			taken = true;
		}
	}
	spin_unlock(&p->lock);
	if (drop) {
		kfree_skb(skb);
	} else if (!taken) {
		/* Not left to the caller: the stack gathers a batch of those, and this one would be overtaken. */
		p->deliver(p->context, skb);
		if (copy)
			p->deliver(p->context, copy);
	}
	while ((skb = __skb_dequeue(&after)))
		p->deliver(p->context, skb);
	return true;
}

/* ---- rules as text --------------------------------------------------------------------------------------------- */

static int rr_number(const char *text, u32 most, u32 *out)
{
	u32 v;
	int err = kstrtou32(text, 0, &v);

	if (err)
		return err;
	if (v > most)
		return -ERANGE;
	*out = v;
	return 0;
}

/* "VALUE" or "VALUE/MASK" */
static int rr_masked(char *text, u32 most, u32 *value, u32 *mask)
{
	char *m = strchr(text, '/');
	int err;

	*mask = most;
	if (m) {
		*m++ = '\0';
		err = rr_number(m, most, mask);
		if (err)
			return err;
		if (!*mask)
			return -EINVAL;
	}
	err = rr_number(text, most, value);
	return err ?: *value & ~*mask ? -EINVAL : 0;
}

/* "LOW-HIGH", "LOW-" or "LENGTH" */
static int rr_range(char *text, u32 *low, u32 *high)
{
	char *to = strchr(text, '-');
	int err;

	if (to)
		*to++ = '\0';
	err = rr_number(text, U16_MAX, low);
	if (err)
		return err;
	*high = U16_MAX;
	if (!to || *to)
		err = rr_number(to ?: text, U16_MAX, high);
	return err ?: *high < *low ? -EINVAL : 0;
}

/* "K/N": K of every N */
static int rr_share(char *text, u32 *pick, u32 *of)
{
	char *n = strchr(text, '/');
	int err;

	if (!n)
		return -EINVAL;
	*n++ = '\0';
	err = rr_number(text, 1000000, pick) ?: rr_number(n, 1000000, of);
	return err ?: !*pick || *pick > *of ? -EINVAL : 0;
}

static int rr_address(const char *text, struct rr_rule *r)
{
	const char *end;

	memset(&r->src, 0, sizeof(r->src));
	if (in4_pton(text, -1, r->src.s6_addr, -1, &end))
		r->src_family = 4;
	else if (in6_pton(text, -1, r->src.s6_addr, -1, &end))
		r->src_family = 6;
	else
		return -EINVAL;
	return *end ? -EINVAL : 0;
}

static int rr_word(struct rr_rule *r, const char *key, char *value)
{
	static const struct { const char *key; u32 most; size_t field; } numbers[] = {
		{ "udp", U16_MAX, offsetof(struct rr_rule, udp) },
		{ "dscp", 63, offsetof(struct rr_rule, dscp) },
		{ "ecn", 3, offsetof(struct rr_rule, ecn) },
		{ "qp", 0xffffff, offsetof(struct rr_rule, qp) },
		{ "sqp", 0xffffff, offsetof(struct rr_rule, sqp) },
		{ "ip", 6, offsetof(struct rr_rule, family) },
		{ "set-dscp", 63, offsetof(struct rr_rule, set_dscp) },
		{ "set-ecn", 3, offsetof(struct rr_rule, set_ecn) },
		{ "set-ttl", 255, offsetof(struct rr_rule, set_ttl) },
		{ "delay", RR_MAX_DELAY_US, offsetof(struct rr_rule, delay_us) },
		{ "hold", RR_MAX_HOLD, offsetof(struct rr_rule, hold) },
	};
	u32 v;
	int i, err;

	if (!value) {
		if (!strcmp(key, "drop"))
			r->drop = true;
		else if (!strcmp(key, "dup"))
			r->dup = true;
		else
			return -EINVAL;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(key, numbers[i].key))
			return rr_number(value, numbers[i].most, (u32 *)((char *)r + numbers[i].field));
	if (!strcmp(key, "sport"))
		return rr_masked(value, U16_MAX, &r->sport, &r->sport_mask);
	if (!strcmp(key, "op"))
		return rr_masked(value, U8_MAX, &r->op, &r->op_mask);
	if (!strcmp(key, "len"))
		return rr_range(value, &r->len_low, &r->len_high);
	if (!strcmp(key, "src"))
		return rr_address(value, r);
	if (!strcmp(key, "pick"))
		return rr_share(value, &r->pick, &r->of);
	if (strcmp(key, "limit"))
		return -EINVAL;
	err = rr_number(value, U32_MAX, &v);
	if (!err && !v)
		err = -EINVAL;
	if (!err)
		r->limit = v;
	return err;
}

static int rr_rule(struct rr_rule *r, char *text)
{
	char *word, *value;
	int err;

	*r = (struct rr_rule) {
		.udp = ROCE_V2_PORT, .dscp = -1, .ecn = -1, .qp = -1, .sqp = -1, .family = -1, .src_family = -1, .len_high = U16_MAX,
		.pick = 1, .of = 1, .set_dscp = -1, .set_ecn = -1, .set_ttl = -1,
	};
	if (strscpy(r->text, text, sizeof(r->text)) < 0)
		return -EINVAL;
	while ((word = strsep(&text, " \t"))) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		err = rr_word(r, word, value);
		if (err)
			return err;
	}
	if (r->family >= 0 && r->family != 4 && r->family != 6)
		return -EINVAL;
	return r->drop || r->dup || r->delay_us || r->hold || r->set_dscp >= 0 || r->set_ecn >= 0 || r->set_ttl >= 0 ?
		0 : -EINVAL;
}

static void rr_clear(struct rr_path *p)
{
	struct sk_buff *skb;

	spin_lock_bh(&p->lock);
	WRITE_ONCE(p->count, 0);
	memset(p->totals, 0, sizeof(p->totals));
	skb_queue_walk(&p->waiting, skb)
		*rr_wait(skb) = (struct rr_wait) { 0, -1 };
	rr_arm(p);
	spin_unlock_bh(&p->lock);
}

int rr_path_write(struct rr_path *p, char *text)
{
	struct rr_rule *r;
	int i, err;

	if (!strcmp(text, "clear")) {
		rr_clear(p);
		return 0;
	}
	for (i = 0; text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			return -EINVAL;
	r = kmalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	err = rr_rule(r, text);
	if (!err) {
		spin_lock_bh(&p->lock);
		if (p->count < RR_MAX_RULES) {
			p->rules[p->count] = *r;
			WRITE_ONCE(p->count, p->count + 1);
		} else {
			err = -ENOSPC;
		}
		spin_unlock_bh(&p->lock);
	}
	kfree(r);
	return err;
}

void rr_path_show(struct rr_path *p, struct seq_file *s)
{
	int i;

	spin_lock_bh(&p->lock);
	for (i = 0; i < p->count; i++)
		seq_printf(s, "rule %d matched %llu done %llu %s\n", i + 1, p->rules[i].matched, p->rules[i].done,
			   p->rules[i].text);
	for (i = 0; i < RR_TOTALS; i++)
		seq_printf(s, "%s %llu\n", rr_total_names[i], p->totals[i]);
	seq_printf(s, "waiting %u\n", skb_queue_len(&p->waiting));
	spin_unlock_bh(&p->lock);
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

struct rr_path *rr_path_new(void (*deliver)(void *context, struct sk_buff *skb), void *context)
{
	struct rr_path *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->deliver = deliver;
	p->context = context;
	spin_lock_init(&p->lock);
	__skb_queue_head_init(&p->waiting);
	hrtimer_init(&p->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	p->timer.function = rr_due;
	return p;
}

void rr_path_stop(struct rr_path *p)
{
	spin_lock_bh(&p->lock);
	p->stopped = true;
	WRITE_ONCE(p->count, 0);
	spin_unlock_bh(&p->lock);
	hrtimer_cancel(&p->timer);
	spin_lock_bh(&p->lock);
	__skb_queue_purge(&p->waiting);
	spin_unlock_bh(&p->lock);
}

void rr_path_free(struct rr_path *p)
{
	if (!p)
		return;
	rr_path_stop(p);
	kfree(p);
}
