// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"
#include "collectors/links_parse.h"

namespace roceready {
namespace {

/// Puts the links of this namespace into the context; rdma_ports takes those that matter from there.
Result<void> collect(Host& host, const Selection&, Context& context, Snapshot&) {
  context.links.clear();
  const auto links = host.links.links();
  const auto addresses = host.links.addresses();
  context.links_read = links ? Result<void>() : Result<void>(links.error().during("listing links"));
  context.addresses_read = addresses ? Result<void>() : Result<void>(addresses.error().during("listing addresses"));
  if (!links) return context.links_read;
  context.links = build_links(*links, addresses ? *addresses : std::vector<Bytes>());
  return context.addresses_read;
}

}  // namespace

extern const Collector kLinks;
constinit const Collector kLinks{"links", Cadence::EverySample, false, collect};

}  // namespace roceready
