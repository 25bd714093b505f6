/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens to frames on the way to a test NIC: loss, rewriting, delay, duplication, reordering.
 *
 * Rules are kept in order; every rule that matches a frame acts on it, a drop ends it. The frame's port has not yet
 * counted it: a frame that is lost here never arrived.
 */
#ifndef RR_PATH_H
#define RR_PATH_H

#include <linux/seq_file.h>
#include <linux/skbuff.h>

#define RR_PATH_MAX_TEXT	160

struct rr_path;

/* deliver: takes a frame that arrives later than it came, or once more; called in softirq context without locks. */
struct rr_path *rr_path_new(void (*deliver)(void *context, struct sk_buff *skb), void *context);

/* Frames that wait are freed, later ones pass. May sleep; nothing is delivered after it. */
void rr_path_stop(struct rr_path *path);
void rr_path_free(struct rr_path *path);

/* One rule is added, or "clear". text is changed. -EINVAL, -ERANGE, -ENOSPC; then nothing has changed. */
int rr_path_write(struct rr_path *path, char *text);
void rr_path_show(struct rr_path *path, struct seq_file *s);

/*
 * A frame on its way up; skb->data is at its network header, nobody else holds the skb. Softirq context.
 * True: it was taken, the caller must not touch it again. False: there are no rules for it.
 */
bool rr_path_take(struct rr_path *path, struct sk_buff *skb);

#endif
