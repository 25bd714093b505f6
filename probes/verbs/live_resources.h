// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "probes/timing.h"
#include "probes/verbs/types.h"

struct ibv_ah;
struct ibv_comp_channel;
struct ibv_context;
struct ibv_cq;
struct ibv_cq_ex;
struct ibv_mr;
struct ibv_pd;
struct ibv_qp;
struct ibv_qp_init_attr;

namespace roceready::probes::verbs::live {

struct Close {
  void operator()(ibv_ah* handle) const;
  void operator()(ibv_comp_channel* channel) const;
  void operator()(ibv_context* context) const;
  void operator()(ibv_cq* queue) const;
  void operator()(ibv_mr* region) const;
  void operator()(ibv_pd* domain) const;
  void operator()(ibv_qp* pair) const;
};
using Context = std::shared_ptr<ibv_context>;  ///< the last of its users closes it
using Pd = std::unique_ptr<ibv_pd, Close>;
using Qp = std::unique_ptr<ibv_qp, Close>;
using Ah = std::unique_ptr<ibv_ah, Close>;

/// A queue pair that copies up to `inline_bytes` of a send into the request itself, which saves the NIC a read; less
/// where the driver offers less. On return `inline_bytes` is what it offers. errno tells why there is none.
[[nodiscard]] Qp create_pair(ibv_pd* domain, ibv_qp_init_attr wanted, std::uint32_t& inline_bytes);

/// Page-aligned memory that the device may use.
class Memory {
 public:
  /// `access` as ibv_reg_mr has it. ENOMEM is told in words: mostly the limit of locked memory.
  static Result<Memory> create(ibv_pd* domain, std::size_t bytes, unsigned access, const std::string& where);
  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t local_key() const;
  [[nodiscard]] std::uint32_t remote_key() const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
  std::unique_ptr<ibv_mr, Close> region_;  // goes before the memory
};

/// Turns the NIC's wrapping cycle counter into nanoseconds that do not wrap. Stamps may be out of order by less than
/// half of the counter's range.
class CycleClock {
 public:
  explicit CycleClock(NicClock clock) : clock_(clock) {}
  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t cycles);

 private:
  NicClock clock_;
  std::optional<std::uint64_t> last_;
  std::int64_t total_ = 0;  // cycles since the first stamp
};

/// One completion as it came from the driver.
struct RawCompletion {
  Status status = Status::Success;
  std::uint64_t id = 0;
  std::uint32_t bytes = 0, queue_pair = 0, source_queue_pair = 0, vendor_error = 0;
  bool has_grh = false;
  std::optional<std::int64_t> nic_ns;
};

/// A completion queue with the channel that wakes its reader; with time stamps where the driver gives them.
class CompletionQueue {
 public:
  static Result<std::unique_ptr<CompletionQueue>> create(const Context& context, std::uint32_t entries, NicClock clock,
                                                         const std::string& where);
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  Result<std::size_t> poll(std::vector<RawCompletion>& into, std::size_t most);
  Result<void> wake_on_completion();
  [[nodiscard]] int fd() const;
  [[nodiscard]] ibv_cq* handle() const;
  [[nodiscard]] bool stamps() const { return extended_ != nullptr; }

 private:
  CompletionQueue(Context context, NicClock clock, std::string where);
  Result<void> open(std::uint32_t entries);
  Result<std::size_t> poll_plain(std::vector<RawCompletion>& into, std::size_t most);
  Result<std::size_t> poll_extended(std::vector<RawCompletion>& into, std::size_t most);
  void drain_channel();

  Context context_;
  std::string where_;
  NicClock nic_;
  CycleClock clock_;
  std::unique_ptr<ibv_comp_channel, Close> channel_;
  std::unique_ptr<ibv_cq, Close> queue_;
  ibv_cq_ex* extended_ = nullptr;  // the same object as queue_
  unsigned unacknowledged_ = 0;    // events: destroying a queue waits for all of them to be acknowledged
};

}  // namespace roceready::probes::verbs::live
