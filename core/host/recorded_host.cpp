// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/host/answer_key.h"
#include "core/host/recording.h"

namespace roceready {
namespace {

constexpr std::size_t kBytesPerStatistic = 8;

Bytes bytes_of(const std::string& data) {
  Bytes out(data.size());
  if (!data.empty()) std::memcpy(out.data(), data.data(), data.size());
  return out;
}

/// Answers by key for the selected sample. Where Recording::find walks back through the samples, this has an index:
/// a replay of an hour asks for slow answers 3600 times.
class Answers {
 public:
  explicit Answers(const Recording& recording) : recording_(recording) {
    for (std::size_t i = 0; i < recording_.samples.size(); ++i)
      for (const auto& [key, answer] : recording_.samples[i].answers) by_key_[key].emplace_back(i, &answer);
  }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  void select(std::size_t sample) {
    assert(sample < recording_.samples.size());
    sample_ = sample;
    reading_ = 0;
  }

  Result<std::string> data(const std::string& key) const {
    const auto answer = ask(key, Answer::Kind::Data);
    if (!answer) return answer.error();
    return (*answer)->data;
  }

  Result<Bytes> bytes(const std::string& key) const {
    const auto answer = ask(key, Answer::Kind::Data);
    if (!answer) return answer.error();
    return bytes_of((*answer)->data);
  }

  Result<std::vector<std::string>> items(const std::string& key) const {
    const auto answer = ask(key, Answer::Kind::List);
    if (!answer) return answer.error();
    return (*answer)->items;
  }

  Result<std::vector<Bytes>> messages(const std::string& key) const {
    const auto answer = ask(key, Answer::Kind::List);
    if (!answer) return answer.error();
    std::vector<Bytes> out;
    for (const std::string& item : (*answer)->items) out.push_back(bytes_of(item));
    return out;
  }

  /// The next reading of the sample's clock; the last one stays.
  Instant now() {
    if (sample_ >= recording_.samples.size() || recording_.samples[sample_].clock.empty()) return {};
    const auto& clock = recording_.samples[sample_].clock;
    const Instant reading = clock[std::min(reading_, clock.size() - 1)];
    ++reading_;
    return reading;
  }

 private:
  Result<const Answer*> ask(const std::string& key, Answer::Kind kind) const {
    const auto found = by_key_.find(key);
    const Answer* answer = nullptr;
    if (found != by_key_.end()) {
      const auto& history = found->second;
      const auto later = std::upper_bound(history.begin(), history.end(), sample_,
                                          [](std::size_t sample, const auto& entry) { return sample < entry.first; });
      if (later != history.begin()) answer = std::prev(later)->second;
    }
    if (answer == nullptr)
      return Error{ErrorCode::NotRecorded, "the recording does not hold this answer", clean_text(key), 0};
    if (answer->kind == Answer::Kind::Refused) return answer->error;
    if (answer->kind != kind)
      return Error{ErrorCode::Malformed,
                   kind == Answer::Kind::List ? "the recording holds bytes where a list was asked for"
                                              : "the recording holds a list where bytes were asked for",
                   clean_text(key), 0};
    return answer;
  }

  const Recording& recording_;
  std::unordered_map<std::string, std::vector<std::pair<std::size_t, const Answer*>>> by_key_;
  std::size_t sample_ = 0;
  std::size_t reading_ = 0;
};

class RecordedFiles : public Files {
 public:
  explicit RecordedFiles(const Answers& answers) : answers_(answers) {}
  Result<std::string> read(const std::string& path, std::size_t limit) override {
    auto content = answers_.data(answer_key::file(path));
    if (content && content->size() > limit)
      return Error{ErrorCode::Malformed, "longer than " + std::to_string(limit) + " bytes", clean_text(path), 0};
    return content;
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return answers_.items(answer_key::list(path));
  }
  Result<std::string> read_link(const std::string& path) override { return answers_.data(answer_key::link(path)); }

 private:
  const Answers& answers_;
};

class RecordedEthtool : public Ethtool {
 public:
  explicit RecordedEthtool(const Answers& answers) : answers_(answers) {}
  Result<Bytes> driver_info(const std::string& netdev) override {
    return answers_.bytes(answer_key::ethtool("driver_info", netdev));
  }
  Result<Bytes> statistics_names(const std::string& netdev) override {
    return answers_.bytes(answer_key::ethtool("statistics_names", netdev));
  }
  Result<Bytes> statistics_values(const std::string& netdev, std::size_t count) override {
    auto values = answers_.bytes(answer_key::ethtool("statistics_values", netdev));
    if (values && values->size() != count * kBytesPerStatistic)
      return Error{ErrorCode::Changed, "the number of statistics changed",
                   "ethtool statistics of " + clean_text(netdev), 0};
    return values;
  }
  Result<Bytes> pfc_prevention_timeout(const std::string& netdev) override {
    return answers_.bytes(answer_key::ethtool("pfc_prevention_timeout", netdev));
  }
  Result<Bytes> get(const std::string& netdev, EthtoolMessage message) override {
    return answers_.bytes(answer_key::ethtool(message, netdev));
  }
  Result<Bytes> module_eeprom(const std::string& netdev, const ModulePart& part) override {
    return answers_.bytes(answer_key::module_eeprom(netdev, part));
  }

 private:
  const Answers& answers_;
};

class RecordedRdma : public RdmaNetlink {
 public:
  explicit RecordedRdma(const Answers& answers) : answers_(answers) {}
  Result<std::vector<Bytes>> devices() override { return answers_.messages(answer_key::kRdmaDevices); }
  Result<Bytes> port(const std::string& device, std::uint32_t port) override {
    return answers_.bytes(answer_key::rdma_port(device, port));
  }
  Result<Bytes> statistics(const std::string& device, std::uint32_t port) override {
    return answers_.bytes(answer_key::rdma_statistics(device, port));
  }

 private:
  const Answers& answers_;
};

class RecordedDcb : public Dcb {
 public:
  explicit RecordedDcb(const Answers& answers) : answers_(answers) {}
  Result<Bytes> ieee(const std::string& netdev) override { return answers_.bytes(answer_key::dcb_ieee(netdev)); }
  Result<Bytes> dcbx(const std::string& netdev) override { return answers_.bytes(answer_key::dcb_dcbx(netdev)); }

 private:
  const Answers& answers_;
};

class RecordedLinks : public Links {
 public:
  explicit RecordedLinks(const Answers& answers) : answers_(answers) {}
  Result<std::vector<Bytes>> links() override { return answers_.messages(answer_key::kLinks); }
  Result<std::vector<Bytes>> addresses() override { return answers_.messages(answer_key::kAddresses); }
  Result<std::vector<Bytes>> rules() override { return answers_.messages(answer_key::kRules); }

 private:
  const Answers& answers_;
};

class RecordedVerbs : public VerbsFacts {
 public:
  explicit RecordedVerbs(const Answers& answers) : answers_(answers) {}
  Result<Bytes> port_attributes(const std::string& device, std::uint32_t port) override {
    return answers_.bytes(answer_key::verbs_port(device, port));
  }
  Result<Bytes> gid_table(const std::string& device) override { return answers_.bytes(answer_key::verbs_gids(device)); }

 private:
  const Answers& answers_;
};

class RecordedProbes : public ProbeResults {
 public:
  explicit RecordedProbes(const Answers& answers) : answers_(answers) {}
  Result<std::string> results() override { return answers_.data(answer_key::kProbeResults); }

 private:
  const Answers& answers_;
};

class RecordedClock : public Clock {
 public:
  explicit RecordedClock(Answers& answers) : answers_(answers) {}
  Instant now() override { return answers_.now(); }

 private:
  Answers& answers_;
};

}  // namespace

struct RecordedHost::Parts {
  explicit Parts(const Recording& source) : recording(source) {}
  Recording recording;  // a copy: whoever replays need not keep the original
  Answers answers{recording};
  RecordedFiles files{answers};
  RecordedEthtool ethtool{answers};
  RecordedRdma rdma{answers};
  RecordedDcb dcb{answers};
  RecordedLinks links{answers};
  RecordedVerbs verbs{answers};
  RecordedProbes probes{answers};
  RecordedClock clock{answers};
};

RecordedHost::RecordedHost(const Recording& recording) : parts_(std::make_unique<Parts>(recording)) {}
RecordedHost::~RecordedHost() = default;

Host RecordedHost::host() {
  return {parts_->files, parts_->ethtool, parts_->rdma,   parts_->dcb,
          parts_->links, parts_->verbs,   parts_->probes, parts_->clock};
}

void RecordedHost::select(std::size_t sample) {
  parts_->answers.select(sample);
}

}  // namespace roceready
