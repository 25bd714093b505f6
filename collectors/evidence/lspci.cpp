// SPDX-License-Identifier: Apache-2.0
// lspci -vv[v] [-n|-nn]: a heading a function ("3b:00.0 Ethernet controller [0200]: … [15b3:101d]") and its
// capabilities, indented. Lines that grep kept are certain alone.
#include <algorithm>
#include <array>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/words.h"
#include "collectors/pci_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "lspci") return false;
  const auto slot = word_after(words, "-s");
  const auto address = slot ? pci_address(*slot) : std::nullopt;
  if (address) about.pci = *address;
  return true;
}

/// What a function is, by its heading.
struct Heading {
  std::string address, vendor_device;
  bool network = false, bridge = false, gpu = false;
  bool is_virtual = false;  ///< its name says so: "… ConnectX Family mlx5Gen Virtual Function"
};

bool is_id(std::string_view text) {
  return text.size() == 9 && text[4] == ':' && text.find_first_not_of("0123456789abcdef:") == std::string_view::npos;
}

/// "15b3:101d" of "… [15b3:101d] (rev 01)" or of "0200: 15b3:101d (rev 01)".
std::string id_of(std::string_view text) {
  for (const std::string_view word : words_of(text)) {
    if (is_id(word)) return std::string(word);
    if (word.size() == 11 && word.starts_with("[") && word.ends_with("]") && is_id(word.substr(1, 9)))
      return std::string(word.substr(1, 9));
  }
  return {};
}

std::optional<Heading> heading(std::string_view line) {
  constexpr std::size_t kShortest = 9;
  if (line.size() < kShortest || line[0] == ' ' || line[0] == '\t') return std::nullopt;
  const auto blank = line.find(' ');
  const auto address = blank == std::string_view::npos ? std::nullopt : pci_address(line.substr(0, blank));
  if (!address) return std::nullopt;
  const std::string_view rest = trim(line.substr(blank));
  const auto is_class = [&](std::string_view name, std::string_view number) {
    return rest.starts_with(name) || rest.starts_with(number);
  };
  Heading out;
  out.address = *address;
  out.vendor_device = id_of(rest);
  out.network = is_class("Ethernet controller", "0200") || is_class("Infiniband controller", "0207") ||
                is_class("Network controller", "0280");
  out.is_virtual = out.network && rest.find("Virtual Function") != std::string_view::npos;
  out.bridge = is_class("PCI bridge", "0604");
  out.gpu = is_class("3D controller", "0302") || is_class("VGA compatible controller", "0300") ||
            is_class("Processing accelerators", "1200");
  return out;
}

bool is_capability(std::string_view text) {
  constexpr std::array<std::string_view, 8> kNames = {
      "LnkCap:", "LnkSta:", "ACSCtl:", "DevCap:", "DevCtl:", "RlxdOrd", "MaxPayload ", "Kernel driver in use:"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return text.starts_with(name); });
}

Fit fit(std::string_view line, About& about) {
  if (line.empty()) return Fit::No;
  if (const auto head = heading(line)) {
    about.pci = head->address;
    return Fit::Certain;
  }
  const std::string_view text = trim(line);
  if (text.empty()) return Fit::No;
  if ((text[0] == 'L' || text[0] == 'A' || text[0] == 'D' || text[0] == 'R' || text[0] == 'M' || text[0] == 'K') &&
      is_capability(text))
    return Fit::Certain;
  constexpr std::size_t kLeastIndent = 4;  // a tab, or what a page made of it
  return indent_of(line) >= kLeastIndent ? Fit::Possible : Fit::No;
}

/// What follows `name` up to the next ',' or ' '.
std::string_view word_behind(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + name.size());
  return rest.substr(0, rest.find_first_of(", \t("));
}

Reading<std::uint64_t> speed_of(std::string_view text) {
  const std::string_view word = word_behind(text, "Speed ");
  if (word.empty()) return Absent{};
  const auto unit = word.find("GT/s");
  if (unit == std::string_view::npos)
    return Absent{lower(word) == "unknown" ? Why::NotPresent : Why::Malformed, std::string(text)};
  return parse_pci_speed(std::string(word.substr(0, unit)) + " GT/s");
}

Reading<std::uint32_t> width_of(std::string_view text) {
  const std::string_view word = word_behind(text, "Width ");
  if (word.empty()) return Absent{};
  if (!word.starts_with("x")) return Absent{Why::Malformed, std::string(text)};
  return parse_pci_width(word.substr(1));
}

/// "SrcValid+ TransBlk- …": bits of the ACS control register in the order of PCI Express 7.7.8.3.
Reading<std::uint32_t> acs_of(std::string_view text) {
  constexpr std::array<std::string_view, 7> kBits = {"SrcValid",    "TransBlk",   "ReqRedir",   "CmpltRedir",
                                                     "UpstreamFwd", "EgressCtrl", "DirectTrans"};
  std::uint32_t out = 0;
  for (std::size_t bit = 0; bit < kBits.size(); ++bit) {
    const auto at = text.find(kBits[bit]);
    const auto sign = at == std::string_view::npos ? at : at + kBits[bit].size();
    if (sign >= text.size() || (text[sign] != '+' && text[sign] != '-'))
      return Absent{Why::Malformed, "ACSCtl without " + std::string(kBits[bit])};
    if (text[sign] == '+') out |= 1U << bit;
  }
  return out;
}

Reading<std::uint32_t> size_of(std::string_view text, std::string_view name) {
  const std::string_view word = word_behind(text, name);
  if (word.empty()) return Absent{};
  const auto bytes = parse_u64(word);
  if (!bytes || *bytes < 128 || *bytes > 4096) return Absent{Why::Malformed, std::string(text)};
  return static_cast<std::uint32_t>(*bytes);
}

template <class T>
void keep(Reading<T>& into, Reading<T> told) {
  if (told || told.absent().why != Why::NotRecorded) into = std::move(told);
}

/// Reads the lines of one section, function by function.
class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft) {
    at_.address = section.about.pci;
    named_ = word_after(section.words, "-s").has_value();
  }

  void take(const Line& line) {
    if (const auto head = heading(line.text)) return begin(*head, line);
    const std::string_view text = trim(line.text);
    if (text.empty() || ignored_) return;
    line_ = line.number;
    if (text.starts_with("Bus: ")) return bus(text);
    if (text.starts_with("NUMA node:")) return numa(text.substr(10));
    if (text.starts_with("IOMMU group:")) {
      draft_.host().iommu_present = true;
    } else if (text.starts_with("Capabilities: <access denied>")) {
      denied();
    } else if (text.starts_with("Kernel driver in use:")) {
      driver(trim(text.substr(21)));
    } else if (!capability(text) && !named_) {
      draft_.unread(section_, line);
    }
  }

  /// Bridges name the bus below them.
  void finish() {
    for (PciFunction& function : draft_.snapshot().pci) function.parent = parent_of(function.address, function.parent);
    if (!draft_.snapshot().gpus) return;
    for (Gpu& gpu : *draft_.snapshot().gpus) gpu.parent = parent_of(gpu.address, gpu.parent);
  }

 private:
  void begin(const Heading& head, const Line& line) {
    at_ = head;
    named_ = true;
    seen_.clear();
    numa_node_.reset();
    ignored_ = !head.network && !head.bridge && !head.gpu;
    if (ignored_ || head.gpu) return;
    if (head.is_virtual) draft_.is_virtual_function(head.address);
    PciFunction& function = draft_.function(head.address);
    if (!head.vendor_device.empty()) function.vendor_device = head.vendor_device;
    draft_.cite("/sys/bus/pci/devices/" + head.address, section_, line.number);
  }

  PciFunction& function() { return draft_.function(at_.address); }
  void cite(const std::string& file) {
    draft_.cite("/sys/bus/pci/devices/" + at_.address + "/" + file, section_, line_);
  }

  void bus(std::string_view text) {
    const std::string_view secondary = word_behind(text, "secondary=");
    if (secondary.size() == 2 && at_.bridge)
      below_.emplace_back(at_.address.substr(0, 5) + lower(secondary), at_.address);
  }

  void numa(std::string_view text) {
    const auto node = parse_i64(trim(text));
    if (!node) return;
    numa_node_ = *node;
    if (at_.gpu) return;
    function().numa_node = *node;
    cite("numa_node");
  }

  void denied() {
    if (at_.gpu) return;
    const Absent why{Why::Denied, "lspci was not run by root"};
    PciFunction& to = function();
    to.acs_control = to.max_read_request_bytes = to.max_payload_bytes = to.max_payload_supported_bytes = why;
    to.relaxed_ordering = why;
  }

  void driver(std::string_view name) {
    if (!at_.gpu || (name != "nvidia" && name != "amdgpu" && name != "habanalabs")) return;
    Reading<std::vector<Gpu>>& gpus = draft_.snapshot().gpus;
    constexpr std::size_t kMostGpus = 64;
    if (!gpus) gpus = std::vector<Gpu>();
    const auto same = [&](const Gpu& gpu) { return gpu.address == at_.address; };
    if (gpus->size() >= kMostGpus || std::any_of(gpus->begin(), gpus->end(), same)) return;
    Gpu gpu{at_.address, {}, {}, ""};
    if (!at_.vendor_device.empty()) gpu.vendor_device = at_.vendor_device;
    if (numa_node_) gpu.numa_node = *numa_node_;
    gpus->push_back(std::move(gpu));
    std::sort(gpus->begin(), gpus->end(), [](const Gpu& a, const Gpu& b) { return a.address < b.address; });
  }

  /// False: a line that nobody asks for, or the second of its kind where no heading says whose it is.
  bool capability(std::string_view text) {
    if (at_.gpu) return true;
    const std::string name(text.substr(0, text.find_first_of(": ")));
    if (!is_capability(text)) return false;
    if (!named_ && std::find(seen_.begin(), seen_.end(), name) != seen_.end()) return false;
    seen_.push_back(name);
    PciFunction& to = function();
    if (name == "LnkCap") {
      keep(to.max_speed, speed_of(text));
      keep(to.max_width, width_of(text));
      cite("max_link_speed"), cite("max_link_width");
    } else if (name == "LnkSta") {
      keep(to.current_speed, speed_of(text));
      keep(to.current_width, width_of(text));
      cite("current_link_speed"), cite("current_link_width");
    } else if (name == "ACSCtl") {
      to.acs_control = acs_of(text);
      cite("config");
    } else if (name == "DevCap") {
      keep(to.max_payload_supported_bytes, size_of(text, "MaxPayload "));
    } else {
      control(to, text);
    }
    return true;
  }

  /// DevCtl goes over three lines; older versions put sizes and flags on fewer.
  void control(PciFunction& to, std::string_view text) {
    keep(to.max_payload_bytes, size_of(text, "MaxPayload "));
    keep(to.max_read_request_bytes, size_of(text, "MaxReadReq "));
    const auto at = text.find("RlxdOrd");
    if (at != std::string_view::npos && at + 7 < text.size() && (text[at + 7] == '+' || text[at + 7] == '-'))
      to.relaxed_ordering = text[at + 7] == '+';
    cite("config");
  }

  std::string parent_of(const std::string& address, const std::string& known) const {
    for (const auto& [bus, bridge] : below_) {
      if (address.size() >= 7 && address.substr(0, 7) == bus && bridge != address) return bridge;
    }
    return known;
  }

  const Section& section_;
  Draft& draft_;
  Heading at_;
  bool ignored_ = false;
  bool named_ = false;  ///< a heading or the command says which function it is
  std::uint32_t line_ = 0;
  std::optional<std::int64_t> numa_node_;
  std::vector<std::string> seen_;                           ///< capabilities of this function so far
  std::vector<std::pair<std::string, std::string>> below_;  ///< "0000:3b" → the bridge above that bus
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  for (const Line& line : section.lines) reader.take(line);
  reader.finish();
}

}  // namespace

extern const Format kLspci;
constinit const Format kLspci{"lspci", "sudo lspci -vvv -s PCI", false, made_by, fit, parse};

}  // namespace roceready::evidence
