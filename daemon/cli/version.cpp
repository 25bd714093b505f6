// SPDX-License-Identifier: Apache-2.0
#include "daemon/version.h"

#include <sys/utsname.h>

#include "collectors/live/live_host.h"
#include "core/base/text.h"
#include "daemon/cli/command.h"
#include "daemon/export/paint.h"
#include "daemon/export/port_json.h"

namespace roceready::daemon::cli {
namespace {

struct Interface {
  const char* name;
  bool found = false;
  std::string detail;
};

template <class T>
Interface interface_of(const char* name, const Result<T>& answer) {
  return {name, answer.has_value(), answer ? std::string("found") : absent_from(answer.error()).detail};
}

/// Each asked once with a harmless question. A refusal for the loopback device still shows that the interface is there.
std::vector<Interface> interfaces() {
  LiveHost live;
  Host host = live.host();
  std::vector<Interface> out;
  out.push_back(interface_of("RDMA class in sysfs", host.files.list("/sys/class/infiniband")));
  out.push_back(interface_of("RDMA netlink", host.rdma.devices()));
  out.push_back(interface_of("rtnetlink", host.links.links()));
  out.push_back(interface_of("ethtool netlink", host.ethtool.get("lo", EthtoolMessage::LinkState)));
  const auto dcb = host.dcb.ieee("lo");
  const bool dcb_there = dcb || dcb.error().code == ErrorCode::NotSupported;
  out.push_back({"DCB netlink", dcb_there, dcb_there ? "found" : absent_from(dcb.error()).detail});
  out.push_back(interface_of("verbs devices", host.files.list("/sys/class/infiniband_verbs")));
  out.push_back(interface_of("rdma_cm configfs view", host.files.list("/sys/kernel/config/rdma_cm")));
  return out;
}

}  // namespace

int run_version(const Words& words, Terminal& terminal) {
  std::string format = "text";
  const std::vector<OptionSpec> options = {{"--format", "text or json", &format, false, "FORMAT"}};
  if (const auto code =
          parse({"version", "Version, build, kernel interfaces found.", run_version}, options, words, terminal))
    return *code;
  const auto json = wants_json(format);
  if (!json) return fail(terminal, json.error());
  utsname system{};
  const std::string kernel = ::uname(&system) == 0 ? clean_text(system.release) : "?";
  const std::vector<Interface> found = interfaces();
  if (*json) {
    Json out;
    out["version"] = version();
    out["build"] = Json{{"type", build_type()}, {"compiler", compiler()}, {"revision", json_text_or_null(revision())}};
    out["kernel"] = kernel;
    out["kernel_interfaces"] = Json::array();
    for (const Interface& each : found)
      out["kernel_interfaces"].push_back(
          Json{{"name", each.name}, {"found", each.found}, {"detail", json_text(each.detail)}});
    terminal.out(json_dump(out));
    return kOk;
  }
  std::string text = "roceready " + version() + (revision().empty() ? "" : " (" + revision() + ")") + "\n";
  text += "build   " + build_type() + ", " + compiler() + "\nkernel  " + kernel + "\n";
  for (const Interface& each : found) text += labelled(2, each.name, 24, each.detail);
  terminal.out(text);
  return kOk;
}

}  // namespace roceready::daemon::cli
