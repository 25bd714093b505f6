// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "rules/report.h"

namespace roceready::rules {

/// Where cause and symptom lie.
enum class Reach {
  SamePort,   ///< the same port, and the same member where both name one
  OtherPort,  ///< another port of this node, within 10 s: what one port does to the fabric hits the others
  OtherNode,  ///< only reports of several nodes can tell: no report of one node folds such an edge
};

/// What else must hold. Every condition is read from the findings themselves.
enum class When {
  Always,
  NoLinkFault,         ///< no active error of the link itself, or the class without flow control was seen to drop
  NoDiscards,          ///< nothing was dropped on receive here
  DataMisplaced,       ///< the cause names a DSCP of RoCE's own data, not only that of notifications
  WrongPriority,       ///< RDMA bytes were seen on another priority, or the symptom says so itself
  PfcOn,               ///< PFC is on where it should be, or not wanted: no finding says otherwise
  SendsPause,          ///< pause is being sent
  DropsSeen,           ///< lossless packets were dropped on receive here
  NoPcieFault,         ///< no degraded PCIe link or bus
  NoStorm,             ///< no storm is being sent
  Within120Seconds,    ///< the symptom began at most 120 s after the cause, or after one of its occurrences
  SameMinute,          ///< they were there within a minute of each other
  SameMinuteAndPfcOn,  ///< both
  CauseCountsFrames,   ///< the cause's evidence holds a count of frames above 0
  CongestionSeen,      ///< marks or notifications arrive
  NotificationsLost,   ///< notifications do not arrive
  CauseNamesRule,      ///< the cause's evidence names the symptom's rule
  CauseNamesPort,      ///< the cause speaks of the symptom's netdev by name
  ReceiverNotReady,    ///< the connections broke because a receiver was not ready
};

/// Row of the graph (docs/causes.md): `cause` explains `symptom`.
struct CauseEdge {
  std::string_view cause, symptom;
  When when;
  double weight;
  Reach reach = Reach::SamePort;
};
[[nodiscard]] std::span<const CauseEdge> cause_graph();

/// Pairs that look like cause and symptom and are not.
struct WrongEdge {
  const char* not_cause;
  const char* symptom;
  const char* why;
};
[[nodiscard]] std::span<const WrongEdge> wrong_edges();

/// Whether the graph leads from the cause to the symptom on one port, over any number of edges, their conditions aside.
[[nodiscard]] bool may_follow_from(std::string_view cause, std::string_view symptom);

/// Rules about the link itself that packets are lost by.
[[nodiscard]] bool is_link_error(std::string_view rule);
/// Rules that say packets were lost or timed out.
[[nodiscard]] bool is_loss(std::string_view rule);
/// Connections broke, and for no other reason than that receivers were not ready: the application's matter.
[[nodiscard]] bool broke_for_want_of_a_receiver(const Finding& finding);

}  // namespace roceready::rules
