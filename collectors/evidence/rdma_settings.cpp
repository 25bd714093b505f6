// SPDX-License-Identifier: Apache-2.0
// Settings of RDMA programs: /etc/nccl.conf and environments ("NCCL_IB_GID_INDEX=3", "UCX_IB_TRAFFIC_CLASS=106"), and
// what cma_roce_tos and cma_roce_mode print ("106", "RoCE v2").
#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] == "cma_roce_tos" || words[0] == "cma_roce_mode") {
    const auto device = word_after(words, "-d");
    const auto port = word_after(words, "-p");
    if (device && is_device_name(*device)) about.device = *device;
    const auto number = port ? parse_u64(*port) : std::nullopt;
    if (number && *number > 0 && *number < 256) about.port = static_cast<std::uint32_t>(*number);
    return true;
  }
  return words[0] == "cat" && words.size() > 1 && words[1].ends_with("nccl.conf");
}

struct Setting {
  std::string_view name, value;
};

/// "NCCL_IB_TC=106", "export UCX_IB_GID_INDEX=3".
std::optional<Setting> setting_of(std::string_view line) {
  constexpr std::size_t kLongest = 300;
  line = trim(line);
  if (line.size() > kLongest) return std::nullopt;
  if (line.starts_with("export ")) line = trim(line.substr(7));
  if (!line.starts_with("NCCL_") && !line.starts_with("UCX_")) return std::nullopt;
  const auto equal = line.find('=');
  if (equal == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(line.substr(0, equal));
  if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string_view::npos) return std::nullopt;
  std::string_view value = trim(line.substr(equal + 1));
  value = trim(value.substr(0, value.find('#')));
  if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return Setting{name, value};
}

bool is_cma_value(std::string_view line) {
  constexpr std::size_t kLongest = 12;
  const std::string_view text = trim(line);
  if (text.size() > kLongest) return false;
  return parse_u64(text).has_value() || !gid_type_word(text).empty();
}

Fit fit(std::string_view line, About&) {
  if (setting_of(line)) return Fit::Certain;
  return is_cma_value(line) || line.starts_with("#") ? Fit::Possible : Fit::No;
}

void keep_cma(const Section& section, const Line& line, Draft& draft) {
  const std::string_view text = trim(line.text);
  RdmaPort& port = named_port(draft, section.about.device, section.about.port);
  const std::string owner = port.device + "/" + std::to_string(port.port);
  const auto number = parse_u64(text);
  const std::string mode = gid_type_word(text);
  if (number && *number < 256)
    port.cma_default_tos = static_cast<std::uint32_t>(*number);
  else if (!number && !mode.empty())
    port.cma_default_mode = mode == "RoCE v1" ? std::string("IB/RoCE v1") : mode;
  else
    return draft.unread(section, line, "its value makes no sense");
  const char* const what = number ? "default ToS of RDMA-CM" : "default mode of RDMA-CM";
  draft.cite("configfs rdma_cm " + owner, what, section, line.number);
}

bool is_nccl_file(const Section& section) {
  return section.file.ends_with("nccl.conf") || (section.words.size() > 1 && section.words[1].ends_with("nccl.conf"));
}

void parse(const Section& section, Draft& draft) {
  const bool cma = !section.words.empty() && section.words[0].starts_with("cma_roce_");
  for (const Line& line : section.lines) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.starts_with("#")) continue;
    const auto setting = setting_of(text);
    if (!setting) {
      if (cma && is_cma_value(text))
        keep_cma(section, line, draft);
      else
        draft.unread(section, line);
      continue;
    }
    const auto number = parse_i64(setting->value);
    if (is_nccl_file(section) && setting->name == "NCCL_IB_GID_INDEX" && number) {
      draft.host().nccl_gid_index = *number;
      draft.cite("NCCL_IB_GID_INDEX of /etc/nccl.conf", section, line.number);
    }
    LogFact fact;
    fact.kind = "environment";
    fact.text = text;
    fact.place = place_text(section, line.number);
    fact.says = {{"name", std::string(setting->name)}, {"value", std::string(setting->value)}};
    draft.log(std::move(fact));
  }
}

}  // namespace

extern const Format kRdmaSettings;
constinit const Format kRdmaSettings{
    "settings of RDMA programs", "cat /etc/nccl.conf; cma_roce_tos -d DEVICE", false, made_by, fit, parse};

}  // namespace roceready::evidence
