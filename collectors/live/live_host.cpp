// SPDX-License-Identifier: Apache-2.0
#include "collectors/live/live_host.h"

#include "collectors/live/parts.h"
#include "collectors/live/published_probes.h"

namespace roceready {

struct LiveHost::Parts {
  explicit Parts(const Options& options)
      : files(live::make_files(options.root)),
        ethtool(live::make_ethtool()),
        rdma(live::make_rdma(options.root)),
        dcb(live::make_dcb()),
        links(live::make_links()),
        verbs(live::make_verbs(options.root)),
        probes(options.probes != nullptr ? *options.probes : no_probes),
        clock(live::make_clock()) {}
  std::unique_ptr<Files> files;
  std::unique_ptr<Ethtool> ethtool;
  std::unique_ptr<RdmaNetlink> rdma;
  std::unique_ptr<Dcb> dcb;
  std::unique_ptr<Links> links;
  std::unique_ptr<VerbsFacts> verbs;
  PublishedProbes no_probes;
  ProbeResults& probes;
  std::unique_ptr<Clock> clock;
};

LiveHost::LiveHost() : LiveHost(Options{}) {}
LiveHost::LiveHost(const Options& options) : parts_(std::make_unique<Parts>(options)) {}
LiveHost::~LiveHost() = default;

Host LiveHost::host() {
  return {*parts_->files, *parts_->ethtool, *parts_->rdma,  *parts_->dcb,
          *parts_->links, *parts_->verbs,   parts_->probes, *parts_->clock};
}

}  // namespace roceready
