// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "probes/verbs/types.h"

/// The one door from probes to RDMA hardware. Implemented by live_*.cpp on libibverbs, by tests on a fake fabric.
/// Objects are closed by their destructors; an object must go before the one that made it. A device that vanishes turns
/// every later call into an error, nothing else: objects stay valid until destroyed.
namespace roceready::probes::verbs {

/// A handle of a destination; 0 is none.
using AddressHandle = std::uint32_t;

/// What sends and receives have in common: one completion queue.
/// Threads: one thread polls and sends.
class Queue {
 public:
  virtual ~Queue() = default;
  /// Takes finished work, never waits. What was received before is overwritten. An error: the device is gone.
  virtual Result<std::size_t> poll(std::span<Completion> into) = 0;
  /// Asks for one wake-up of fd() at the next completion; poll once more afterwards, for what came in between.
  virtual Result<void> wake_on_completion() = 0;
  /// Readable after a wake-up that was asked for, until the next wake_on_completion().
  [[nodiscard]] virtual int fd() const = 0;
};

struct UdSend {
  std::span<const std::byte> payload;  ///< copied before the call returns
  std::size_t queue_pair = 0;          ///< index of ours
  AddressHandle to = 0;
  std::uint32_t to_queue_pair = 0;
  std::uint32_t to_qkey = 0;
  std::uint64_t id = 0;  ///< comes back with the completion
};

/// Unreliable datagram queue pairs over one completion queue, with their receive rings.
class Ud : public Queue {
 public:
  [[nodiscard]] virtual std::size_t queue_pairs() const = 0;
  [[nodiscard]] virtual std::uint32_t number(std::size_t queue_pair) const = 0;
  [[nodiscard]] virtual std::uint32_t qkey() const = 0;
  /// Whether completions carry the NIC's time.
  [[nodiscard]] virtual bool nic_clock() const = 0;
  /// May wait about a second for the neighbour's address. Any thread.
  virtual Result<AddressHandle> make_address(const Address& address) = 0;
  /// Any thread. Nothing may be sent to it any more.
  virtual void drop_address(AddressHandle handle) = 0;
  /// Every send completes with a Completion. An error is not loss: nothing left. Code Changed: all slots are in flight.
  virtual Result<void> send(const UdSend& what) = 0;
  /// UDP source port of what this queue pair sends with this flow label; NotSupported where the driver does not tell.
  [[nodiscard]] virtual Reading<std::uint32_t> udp_source_port(std::size_t queue_pair,
                                                               std::uint32_t flow_label) const = 0;
};

/// Ends of reliable connections over one completion queue, with one buffer for all of them.
/// A dead path ends the first request in well under a second: see live_rc.cpp.
class Rc : public Queue {
 public:
  [[nodiscard]] virtual std::size_t queue_pairs() const = 0;
  [[nodiscard]] virtual std::uint32_t number(std::size_t queue_pair) const = 0;
  [[nodiscard]] virtual std::uint32_t first_packet(std::size_t queue_pair) const = 0;
  [[nodiscard]] virtual std::uint64_t buffer() const = 0;
  [[nodiscard]] virtual std::uint32_t buffer_key() const = 0;
  /// Once for each. May wait about a second for the neighbour's address.
  virtual Result<void> connect(std::size_t queue_pair, const RcPeer& peer) = 0;
  /// RcWrite, RcRead or RcSend of the first `bytes` of the buffer; RcOptions::requests at a time in flight per queue
  /// pair.
  virtual Result<void> post(std::size_t queue_pair, Operation operation, std::uint32_t bytes, std::uint64_t id) = 0;
};

/// An open port.
/// Threads: facts, make_ud and make_rc from any; events from one.
class Port {
 public:
  virtual ~Port() = default;
  [[nodiscard]] virtual const PortName& name() const = 0;
  virtual Result<PortFacts> facts() = 0;
  virtual Result<std::unique_ptr<Ud>> make_ud(const UdOptions& options) = 0;
  virtual Result<std::unique_ptr<Rc>> make_rc(const RcOptions& options) = 0;
  /// Readable when events() has something.
  [[nodiscard]] virtual int event_fd() const = 0;
  /// What happened to the device since the last call; never waits. At most 65 at a time. A device that is being removed
  /// gives one DeviceFatal, whether its driver tells or not; the removal may wait until this port is closed.
  virtual std::vector<Event> events() = 0;
};

class Verbs {
 public:
  virtual ~Verbs() = default;
  /// NotFound: RDMA is not loaded. Loads no module.
  virtual Result<std::vector<PortName>> list() = 0;
  virtual Result<std::unique_ptr<Port>> open(const PortName& name) = 0;
  /// Monotonic, ns. The clock of all times that probes measure on the host.
  [[nodiscard]] virtual std::int64_t now_ns() const = 0;
  /// For how long the calling thread has been ready to run while others had the CPU, ns, in all since some moment:
  /// only differences within one thread mean anything. A host that cannot tell always says the same.
  [[nodiscard]] virtual std::int64_t waited_ns() const = 0;
};

}  // namespace roceready::probes::verbs
