// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/judge.h"

#include <memory>
#include <utility>

#include "core/history/history.h"
#include "daemon/evidence/cite.h"
#include "daemon/setup.h"
#include "rules/engine.h"

namespace roceready::daemon {
namespace {

constexpr std::size_t kMostCommands = 8;

rules::FilesRead files_read(const evidence::Bundle& bundle) {
  rules::FilesRead out;
  out.files = bundle.files();
  out.lines_read = bundle.read_count();
  out.lines_unread = bundle.unread_count();
  for (const auto& one : bundle.skipped()) out.skipped.push_back(one.file + ": " + one.why);
  for (const evidence::UnreadLine& line : bundle.unread())
    out.unread.push_back(line.file + ":" + std::to_string(line.number) + ": " + line.text);
  return out;
}

std::string source_detail(const EvidenceRequest& request, const evidence::HostEvidence& host) {
  std::string out;
  constexpr std::size_t kMostNamed = 3;
  for (std::size_t i = 0; i < request.paths.size() && i < kMostNamed; ++i)
    out += (i == 0 ? "" : ", ") + (request.paths[i] == "-" ? "standard input" : request.paths[i]);
  if (request.paths.size() > kMostNamed) out += " and " + std::to_string(request.paths.size() - kMostNamed) + " more";
  return host.name.empty() ? out : out + ", host " + host.name;
}

rules::ReportPtr judge(const EvidenceRequest& request, const evidence::HostEvidence& host, const rules::FilesRead& read,
                       rules::JudgeOptions options) {
  options.source_kind = "evidence";
  options.rdma_units.clear();  // a limit that somebody sent is of a program that matters, whatever its unit
  options.source_detail = source_detail(request, host);
  History history(rules::needed_signals());
  for (const Snapshot& snapshot : host.snapshots) history.add(std::make_shared<const Snapshot>(snapshot));
  const auto judged = rules::Engine(std::move(options)).judge(history);
  auto report = std::make_shared<rules::Report>(*judged);
  cite_files(host.draft, *report);
  rules::FilesRead files = read;
  files.formats = host.formats;
  files.assumptions = host.assumptions;
  files.lines_unread += host.draft.unread_count();
  for (const evidence::UnreadLine& line : host.draft.unread_lines())
    files.unread.push_back(line.file + ":" + std::to_string(line.number) + ": " + line.text +
                           (line.why.empty() ? "" : " (" + line.why + ")"));
  if (host.interval_unknown)
    files.assumptions.emplace_back(
        "counters were given more than once, but no file says how long lies between: no rates are judged; say it with "
        "--interval");
  files.ask_for = commands_to_ask_for(*report, kMostCommands);
  report->files_read = std::move(files);
  return report;
}

}  // namespace

Result<EvidenceReports> judge_evidence(const EvidenceRequest& request) {
  const auto configuration = load_foreign_configuration(request.config_file, request.overrides);
  if (!configuration) return configuration.error();
  evidence::Bundle bundle;
  if (auto opened = open_evidence(request.paths, request.limits, bundle); !opened) return opened.error();
  EvidenceReports out;
  out.read = bundle.finish({.interval_ns = request.interval_ns, .device = request.device});
  out.nothing = files_read(bundle);
  for (const evidence::HostEvidence& host : out.read)
    out.hosts.push_back(judge(request, host, out.nothing, judge_options(configuration->loaded.settings, true)));
  out.nothing.ask_for = commands_to_collect();
  return out;
}

const std::vector<std::string>& commands_to_collect() {
  static const std::vector<std::string> commands = {
      "rdma link; ibv_devinfo -v; rdma statistic",
      "ethtool NETDEV; ethtool -i NETDEV; ethtool -a NETDEV; ethtool --show-fec NETDEV",
      "mlnx_qos -i NETDEV   (other vendors: dcb pfc show dev NETDEV; dcb ets show dev NETDEV; dcb app show dev NETDEV; "
      "dcb buffer show dev NETDEV)",
      "ip -d link; ip addr",
      "lspci -vvv; cat /proc/cmdline; cat /proc/PID/limits   (PID: a program that uses RDMA)",
      "date; ethtool -S NETDEV; rdma statistic; sleep 60; date; ethtool -S NETDEV; rdma statistic"};
  return commands;
}

}  // namespace roceready::daemon
