// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "probes/mesh.h"
#include "probes/rc_prober.h"

namespace roceready::probes {

/// A port of ours with what it probes with. Goes in reverse: engine, queue pairs, port.
struct Mesh::OpenPort {
  OpenPort(ProbePort opened, std::unique_ptr<verbs::Ud> queues, const verbs::Verbs& clock, std::uint32_t links,
           std::int64_t timeout_ns)
      : port(std::move(opened)), ud(std::move(queues)), prober(*ud, clock, timeout_ns), sized_for(links) {}
  ProbePort port;
  std::unique_ptr<verbs::Ud> ud;
  UdProber prober;
  std::uint32_t sized_for = 0;  ///< links
  bool down = false;
  std::int64_t quiet_until_ns = 0;  ///< after a send that failed here
  std::string failed;               ///< why it must go, "" while it is well
  std::stop_source closing;         ///< whoever works with the port is to let it go
};

struct Mesh::Link {
  Link(const WindowLimits& limits) : statistics(limits) {}
  std::uint32_t id = 0;
  std::shared_ptr<OpenPort> port;
  PeerAddress peer;
  ProbeKind kind = ProbeKind::Ud;

  // The session; engines before what they use.
  bool ready = false, fetching = false;
  std::uint64_t session = 0;   ///< the newest, 0: none yet
  std::uint64_t instance = 0;  ///< of the port that granted it, 0: it does not say
  bool excused = false;        ///< losses were excused, and nothing was answered since
  std::int64_t session_ends_ns = 0;
  SessionKey key{};
  std::uint16_t cm_service = 0;  ///< where the peer takes connections by the connection manager, 0: nowhere
  AddressSet addresses;
  std::unique_ptr<verbs::Rc> rc;
  std::unique_ptr<RcProber> rc_prober;
  Endpoint other;
  TravelClass in_class;                ///< in which its probes leave
  std::optional<BaselineTerms> terms;  ///< of what the statistics learn; absent: before the first session
  std::uint32_t full_size = 0;
  std::uint32_t target = 0;  ///< for the budget: one for all links to a port of a peer

  std::int64_t next_probe_ns = 0, not_fetched_before_ns = 0, fetch_gap_ns = 0;
  // Of a connected link that is asked out of its turn, since datagrams to the same port fell silent.
  std::int64_t turn_ns = 0;       ///< when it would have been its turn; 0: it is in its turn
  std::int64_t hurried_ns = 0;    ///< when it was asked so last; 0: never
  std::int64_t hurry_gap_ns = 0;  ///< for so long not again
  /// Of a datagram link: the silence that its connected ones were asked about, by when it began.
  std::int64_t asked_about_ns = 0;
  std::uint64_t probes = 0;
  std::uint32_t next_path = 0, lost_in_row = 0;
  std::int64_t losing_since_ns = 0;  ///< when the first of the newest losses in a row was known
  std::int64_t installed_ns = 0;     ///< when the present session began
  bool tried_anew = false;           ///< since then a new session was tried, in vain: the peer has not just restarted
  WindowStatistics statistics;
  Reading<std::string> error = Absent{Why::NotPresent, "no probe failed"};
  PeerProbe shown;
  std::int64_t shown_ns = 0;
};

/// A session that a fetcher is to get.
struct Mesh::Fetch {
  std::uint32_t link = 0;
  std::shared_ptr<OpenPort> port;  // lives as long as somebody works for it
  PeerAddress peer;
  ProbeKind kind = ProbeKind::Ud;
  NodeDigest digest;
  std::int64_t losing_since_ns = 0;  ///< of the link, 0: it loses nothing
  std::string peer_name;             ///< PeerAddress::text
  std::uint64_t replaces = 0;        ///< session
  TravelClass in_class;
};

/// What a fetcher brings back.
struct Mesh::Fetched {
  std::uint32_t link = 0;
  std::shared_ptr<OpenPort> port;
  PeerAddress peer;
  ProbeKind kind = ProbeKind::Ud;
  std::optional<std::string> error;
  std::int64_t asked_ns = 0;       ///< when the peer was asked over HTTP; it never was: 0
  std::int64_t not_before_ns = 0;  ///< it is silent, and not asked again before
  bool control_answered = false;   ///< and said something, be it a refusal
  bool after_silence = false;      ///< which it had not when it was asked before
  bool serves_no_probes = false;   ///< what it said
  bool not_ready = false;          ///< what it said: to be asked again soon
  TravelClass in_class;
  SessionAnswer answer;
  SessionKey key{};
  AddressSet addresses;  // before the port in destruction: members go in reverse, and the port is above
  std::unique_ptr<verbs::Rc> rc;
};

}  // namespace roceready::probes
