// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roceready::probes::verbs {

/// How a work request ended: the completion codes of libibverbs, same order, same numbers.
enum class Status {
  Success,
  LocalLength,
  LocalQpOperation,
  LocalEecOperation,
  LocalProtection,
  Flushed,
  MemoryWindowBind,
  BadResponse,
  LocalAccess,
  RemoteInvalidRequest,
  RemoteAccess,
  RemoteOperation,
  RetryExceeded,
  RnrRetryExceeded,
  LocalRddViolation,
  RemoteInvalidReadRequest,
  RemoteAborted,
  InvalidEecn,
  InvalidEecState,
  Fatal,
  ResponseTimeout,
  General,
  TagMatching,
  TagMatchingRendezvous,
};
constexpr int kStatuses = 24;

/// The name in libibverbs: "IBV_WC_RETRY_EXC_ERR"; with the number where there is no such status.
[[nodiscard]] std::string name_of(Status status);
/// Whether the request failed on this host before anything was tried on the network: no loss.
[[nodiscard]] bool says_nothing_of_the_path(Status status);
/// For a person: what happened, and its likely reason.
[[nodiscard]] std::string explain(Status status);

}  // namespace roceready::probes::verbs
