// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/host/answer_key.h"
#include "core/host/recording.h"

namespace roceready {
namespace {

std::string text_of(const Bytes& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());  // NOLINT: bytes as they are
}

Answer refused(const Error& error) {
  Answer answer;
  answer.kind = Answer::Kind::Refused;
  answer.error = error;
  return answer;
}

/// What was asked and answered. Asked twice in one sample (a retry): the last answer stays, as the collector used it.
class Notebook {
 public:
  Result<std::string> keep(const std::string& key, Result<std::string> result) {
    Answer answer;
    if (result) answer.data = *result;
    return note(key, std::move(answer), std::move(result));
  }
  Result<Bytes> keep(const std::string& key, Result<Bytes> result) {
    Answer answer;
    if (result) answer.data = text_of(*result);
    return note(key, std::move(answer), std::move(result));
  }
  Result<std::vector<std::string>> keep(const std::string& key, Result<std::vector<std::string>> result) {
    Answer answer;
    answer.kind = Answer::Kind::List;
    if (result) answer.items = *result;
    return note(key, std::move(answer), std::move(result));
  }
  Result<std::vector<Bytes>> keep(const std::string& key, Result<std::vector<Bytes>> result) {
    Answer answer;
    answer.kind = Answer::Kind::List;
    if (result)
      for (const Bytes& message : *result) answer.items.push_back(text_of(message));
    return note(key, std::move(answer), std::move(result));
  }

  RecordedSample sample;

 private:
  template <class T>
  Result<T> note(const std::string& key, Answer answer, Result<T> result) {
    sample.answers[key] = result ? std::move(answer) : refused(result.error());
    return result;
  }
};

class RecordingFiles : public Files {
 public:
  RecordingFiles(Files& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<std::string> read(const std::string& path, std::size_t limit) override {
    return book_.keep(answer_key::file(path), inner_.read(path, limit));
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return book_.keep(answer_key::list(path), inner_.list(path));
  }
  Result<std::string> read_link(const std::string& path) override {
    return book_.keep(answer_key::link(path), inner_.read_link(path));
  }

 private:
  Files& inner_;
  Notebook& book_;
};

class RecordingEthtool : public Ethtool {
 public:
  RecordingEthtool(Ethtool& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<Bytes> driver_info(const std::string& netdev) override {
    return book_.keep(answer_key::ethtool("driver_info", netdev), inner_.driver_info(netdev));
  }
  Result<Bytes> statistics_names(const std::string& netdev) override {
    return book_.keep(answer_key::ethtool("statistics_names", netdev), inner_.statistics_names(netdev));
  }
  Result<Bytes> statistics_values(const std::string& netdev, std::size_t count) override {
    return book_.keep(answer_key::ethtool("statistics_values", netdev), inner_.statistics_values(netdev, count));
  }
  Result<Bytes> pfc_prevention_timeout(const std::string& netdev) override {
    return book_.keep(answer_key::ethtool("pfc_prevention_timeout", netdev), inner_.pfc_prevention_timeout(netdev));
  }
  Result<Bytes> get(const std::string& netdev, EthtoolMessage message) override {
    return book_.keep(answer_key::ethtool(message, netdev), inner_.get(netdev, message));
  }
  Result<Bytes> module_eeprom(const std::string& netdev, const ModulePart& part) override {
    return book_.keep(answer_key::module_eeprom(netdev, part), inner_.module_eeprom(netdev, part));
  }

 private:
  Ethtool& inner_;
  Notebook& book_;
};

class RecordingRdma : public RdmaNetlink {
 public:
  RecordingRdma(RdmaNetlink& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<std::vector<Bytes>> devices() override { return book_.keep(answer_key::kRdmaDevices, inner_.devices()); }
  Result<Bytes> port(const std::string& device, std::uint32_t port) override {
    return book_.keep(answer_key::rdma_port(device, port), inner_.port(device, port));
  }
  Result<Bytes> statistics(const std::string& device, std::uint32_t port) override {
    return book_.keep(answer_key::rdma_statistics(device, port), inner_.statistics(device, port));
  }

 private:
  RdmaNetlink& inner_;
  Notebook& book_;
};

class RecordingDcb : public Dcb {
 public:
  RecordingDcb(Dcb& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<Bytes> ieee(const std::string& netdev) override {
    return book_.keep(answer_key::dcb_ieee(netdev), inner_.ieee(netdev));
  }
  Result<Bytes> dcbx(const std::string& netdev) override {
    return book_.keep(answer_key::dcb_dcbx(netdev), inner_.dcbx(netdev));
  }

 private:
  Dcb& inner_;
  Notebook& book_;
};

class RecordingLinks : public Links {
 public:
  RecordingLinks(Links& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<std::vector<Bytes>> links() override { return book_.keep(answer_key::kLinks, inner_.links()); }
  Result<std::vector<Bytes>> addresses() override { return book_.keep(answer_key::kAddresses, inner_.addresses()); }
  Result<std::vector<Bytes>> rules() override { return book_.keep(answer_key::kRules, inner_.rules()); }

 private:
  Links& inner_;
  Notebook& book_;
};

class RecordingVerbs : public VerbsFacts {
 public:
  RecordingVerbs(VerbsFacts& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<Bytes> port_attributes(const std::string& device, std::uint32_t port) override {
    return book_.keep(answer_key::verbs_port(device, port), inner_.port_attributes(device, port));
  }
  Result<Bytes> gid_table(const std::string& device) override {
    return book_.keep(answer_key::verbs_gids(device), inner_.gid_table(device));
  }

 private:
  VerbsFacts& inner_;
  Notebook& book_;
};

class RecordingProbes : public ProbeResults {
 public:
  RecordingProbes(ProbeResults& inner, Notebook& book) : inner_(inner), book_(book) {}
  Result<std::string> results() override { return book_.keep(answer_key::kProbeResults, inner_.results()); }

 private:
  ProbeResults& inner_;
  Notebook& book_;
};

class RecordingClock : public Clock {
 public:
  RecordingClock(Clock& inner, Notebook& book) : inner_(inner), book_(book) {}
  Instant now() override {
    const Instant reading = inner_.now();
    book_.sample.clock.push_back(reading);
    return reading;
  }

 private:
  Clock& inner_;
  Notebook& book_;
};

}  // namespace

struct RecordingHost::Parts {
  explicit Parts(const Host& inner)
      : files(inner.files, book),
        ethtool(inner.ethtool, book),
        rdma(inner.rdma, book),
        dcb(inner.dcb, book),
        links(inner.links, book),
        verbs(inner.verbs, book),
        probes(inner.probes, book),
        clock(inner.clock, book) {}
  Notebook book;
  RecordingFiles files;
  RecordingEthtool ethtool;
  RecordingRdma rdma;
  RecordingDcb dcb;
  RecordingLinks links;
  RecordingVerbs verbs;
  RecordingProbes probes;
  RecordingClock clock;
};

RecordingHost::RecordingHost(Host inner) : parts_(std::make_unique<Parts>(inner)) {}
RecordingHost::~RecordingHost() = default;

Host RecordingHost::host() {
  return {parts_->files, parts_->ethtool, parts_->rdma,   parts_->dcb,
          parts_->links, parts_->verbs,   parts_->probes, parts_->clock};
}

RecordedSample RecordingHost::take_sample() {
  if (parts_->book.sample.clock.empty()) parts_->clock.now();  // a sample has at least one reading
  return std::exchange(parts_->book.sample, {});
}

}  // namespace roceready
