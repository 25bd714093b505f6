// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

#include <algorithm>
#include <cmath>

#include "rules/finding_fix.h"

namespace roceready::rules_test {

Scene::Scene() {
  samples_.push_back(healthy());
}
Scene::Scene(const Scene&) = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(const Scene&) = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

Snapshot& Scene::now() {
  return samples_.back();
}
RdmaPort& Scene::port() {
  return now().ports[0];
}

Netdev& Scene::netdev(const std::string& name) {
  for (Netdev& one : now().netdevs)
    if (one.link.name == name) return one;
  ADD_FAILURE() << "no netdev " << name;
  return now().netdevs[0];
}

Scene& Scene::profile(const std::string& name) {
  profile_ = name.empty() ? nullptr : std::make_shared<Profile>(*profile_named(name));
  return *this;
}

Scene& Scene::limit(const std::string& name, double value) {
  limits_["rules." + name] = value;
  return *this;
}

Scene& Scene::daemon() {
  one_shot_ = false;
  return *this;
}

Scene& Scene::never_shows(std::initializer_list<CounterId> ids) {
  each_counters([&](CounterReadings& readings) {
    for (const CounterId id : ids) {
      std::erase(readings.offered, id);
      std::erase_if(readings.values, [&](const CounterValue& value) { return value.id == id; });
    }
  });
  return *this;
}

Scene& Scene::hides(CounterId id) {
  each_counters([&](CounterReadings& readings) {
    std::erase_if(readings.values, [&](const CounterValue& value) { return value.id == id; });
  });
  return *this;
}

Scene& Scene::shows(CounterId id, std::uint8_t lane) {
  CounterReadings& readings = eth0().counters;
  if (readings.find(id, lane) == nullptr) readings.values.push_back({id, lane, 64, 1000, 1.0});
  if (!readings.can_show(id)) readings.offered.push_back(id);
  sort(readings);
  return *this;
}

Scene& Scene::shows_rdma(CounterId id) {
  CounterReadings& readings = port().counters;
  if (readings.find(id) == nullptr) readings.values.push_back({id, kNoLane, 64, 1000, 1.0});
  readings.offered.push_back(id);
  sort(readings);
  return *this;
}

Scene& Scene::after(double seconds, const std::vector<Growth>& growths) {
  Snapshot next = samples_.back();
  move(next, seconds);
  samples_.push_back(std::move(next));
  for (const Growth& growth : growths) grow(growth);
  return *this;
}

Scene& Scene::every(double seconds, std::size_t times, const std::vector<Growth>& growths) {
  for (std::size_t k = 0; k < times; ++k) after(seconds, growths);
  return *this;
}

Scene& Scene::bonded(std::uint32_t mode, const std::string& active) {
  Netdev second = eth0(), bond;
  second.link.name = "eth1";
  second.link.index = 3;
  second.link.addresses.clear();
  bond.link.name = "bond0";
  bond.link.kind = "bond";
  bond.link.mtu = 9000U;
  bond.link.addresses = eth0().link.addresses;
  bond.link.bond = BondFacts{mode, active, 1};
  eth0().link.addresses.clear();
  now().netdevs.push_back(second);
  for (const char* name : {"eth0", "eth1"}) {
    netdev(name).link.master = "bond0";
    netdev(name).link.bond_member = BondMemberFacts{name != active && !active.empty(), true};
  }
  now().netdevs.insert(now().netdevs.begin(), bond);
  port().netdev = std::string("bond0");
  port().members = {"eth0", "eth1"};
  port().uppers = {"bond0"};
  return *this;
}

std::vector<Judgement> Scene::judge(const Rule& rule, const std::string& member) const {
  // A rule that declares no counters sees the past of those of all others.
  History past(rule.needs.empty() ? needed_signals() : std::vector<CounterId>(rule.needs.begin(), rule.needs.end()));
  for (const Snapshot& sample : samples_) past.add(std::make_shared<const Snapshot>(sample));
  const SnapshotPtr newest = past.now();
  Evidence::Context context;
  context.history = &past;
  context.now = newest.get();
  context.profile = profile_.get();
  context.rule = &rule;
  context.limits = &limits_;
  context.one_shot = one_shot_;
  const std::vector<std::string> units{"slurmd", "kubelet", "containerd"};
  context.rdma_units = &units;
  context.demands = &demands_;
  if (rule.scope != Scope::Node) context.port = &newest->ports[0];
  if (rule.scope == Scope::Member) context.member = newest->netdev(member);
  Outcomes out{Subject{}};
  const Evidence seen(context);
  if (rule.judge != nullptr) rule.judge(seen, out);  // planned rules have their commands alone
  fix_ = fix_of(seen);
  return out.entries();
}

Judgement Scene::ask(const Rule& rule, const std::string& member) const {
  const std::vector<Judgement> all = judge(rule, member);
  EXPECT_EQ(all.size(), 1U) << rule.id;
  return all.empty() ? Judgement{} : all.front();
}

ReportPtr Scene::report() const {
  JudgeOptions options;
  options.profile = profile_ ? profile_->name : "";
  options.limits = limits_;
  options.one_shot = one_shot_;
  options.demands = demands_;
  Engine engine(options);
  History past(needed_signals());
  ReportPtr report;
  for (const Snapshot& sample : samples_) {
    past.add(std::make_shared<const Snapshot>(sample));
    report = engine.judge(past);
  }
  return report;
}

PciFunction& Scene::function(const std::string& address) {
  for (PciFunction& one : now().pci)
    if (one.address == address) return one;
  ADD_FAILURE() << "no PCI function " << address;
  return now().pci[0];
}

void Scene::sort(CounterReadings& readings) {
  std::sort(readings.values.begin(), readings.values.end(), [](const CounterValue& a, const CounterValue& b) {
    return std::pair(a.id, a.lane) < std::pair(b.id, b.lane);
  });
  std::sort(readings.offered.begin(), readings.offered.end());
  readings.offered.erase(std::unique(readings.offered.begin(), readings.offered.end()), readings.offered.end());
}

void Scene::grow(const Growth& growth) {
  bool found = false;
  each_counters([&](CounterReadings& readings) {
    for (CounterValue& value : readings.values) {
      if (found || value.id != growth.id || value.lane != growth.lane) continue;
      value.raw += static_cast<std::uint64_t>(std::llround(growth.amount / value.scale));
      found = true;
    }
  });
  EXPECT_TRUE(found) << "the scene has no counter " << info_of(growth.id).name;
}

void Scene::move(Snapshot& sample, double seconds) {
  const auto distance = static_cast<std::int64_t>(std::llround(seconds * 1e9));
  for (Instant* at : {&sample.before, &sample.after}) {
    at->monotonic_ns += distance;
    at->wall_ns += distance;
  }
  for (Netdev& one : sample.netdevs) one.counters.at_monotonic_ns += distance;
  for (RdmaPort& one : sample.ports) one.counters.at_monotonic_ns += distance;
}

Snapshot Scene::healthy() {
  Snapshot out;
  out.before = {1000 * kSecond, 1769828645 * kSecond};
  out.after = out.before;
  out.node.hostname = std::string("node1");
  out.node.kernel = std::string("6.1.0-18-amd64");
  out.node.uptime_seconds = 8.6e6;
  out.host.iommu_present = true;
  out.host.virtual_machine = false;
  out.host.rdma_subsystem = true;
  out.host.cpu_vendor = std::string("AuthenticAMD");
  out.host.memlock = std::vector<MemlockLimit>{{"slurmd.service", UINT64_MAX, "/etc/systemd/system/slurmd.service"}};
  out.host.default_memlock_bytes = 8388608ULL;
  out.host.user_verbs = true;
  out.host.modules = std::vector<std::string>{"ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib", "rdma_cm", "rdma_ucm"};
  const Reading<bool> in_tree = false;
  out.host.module_builds =
      std::vector<ModuleBuild>{{"ib_core", in_tree, {}}, {"mlx5_core", in_tree, {}}, {"mlx5_ib", in_tree, {}}};
  out.host.numa_balancing = 0U;
  out.host.cpu_governor = std::string("performance");
  out.host.cpu_frequency_driver = std::string("intel_pstate");
  out.host.nvidia_driver = not_present();
  out.host.nccl_gid_index = not_present();
  out.host.interrupts = {{"0000:3b:00.0", InterruptPlacement{32, 32}}};
  out.host.ipv4_settings = std::vector<Ipv4Settings>{};
  out.host.policy_rules = std::vector<PolicyRule>{};

  PciFunction bridge;
  bridge.address = "0000:3a:00.0";
  bridge.current_speed = bridge.max_speed = 16'000'000'000ULL;
  bridge.current_width = bridge.max_width = 16U;
  bridge.max_payload_supported_bytes = 512U;
  bridge.numa_node = std::int64_t{0};
  bridge.aer = std::map<std::string, std::uint64_t>{{"correctable", 31'337}, {"fatal", 2}, {"nonfatal", 17}};
  PciFunction nic = bridge;
  nic.address = "0000:3b:00.0";
  nic.parent = bridge.address;
  nic.vendor_device = std::string("15b3:101d");
  nic.iommu_group_type = std::string("identity");
  nic.max_read_request_bytes = 4096U;
  nic.max_payload_bytes = 512U;
  nic.relaxed_ordering = true;
  nic.numa_node = 0;
  out.pci = {bridge, nic};
  out.gpus = std::vector<Gpu>{};

  Netdev eth0;
  eth0.link.name = "eth0";
  eth0.link.index = 2;
  eth0.link.admin_up = true;
  eth0.link.oper_state = std::string("up");
  eth0.link.carrier = true;
  eth0.link.mtu = 9000U;
  eth0.link.carrier_down_count = 7U;
  eth0.link.carrier_up_count = 8U;
  eth0.link.parent_device = nic.address;
  eth0.link.phys_switch_id = not_present();
  eth0.link.addresses = {{"10.0.0.1", 24, false}, {"fe80::e42:a1ff:fe00:1", 64, false}};
  eth0.ethtool.driver = DriverInfo{"mlx5_core", "6.1.0", "22.39.2048", nic.address};
  LinkModes modes;
  modes.speed_bits_per_second = 100'000'000'000ULL;
  modes.lanes = 4U;
  modes.autoneg = true;
  modes.max_supported_bits_per_second = modes.max_advertised_bits_per_second = 100'000'000'000ULL;
  eth0.ethtool.link_modes = modes;
  eth0.ethtool.link_state = LinkState{true, {}, {}, {}};
  FecFacts fec;
  fec.configured = {"RS"};
  fec.automatic = true;
  fec.active = std::string("RS");
  eth0.ethtool.fec = fec;
  eth0.ethtool.medium = std::string("Fibre");
  ModuleFacts module;
  module.form = "QSFP28";
  module.copper_length_metres = not_present();
  module.fault = not_present();
  module.monitors = std::vector<ModuleMonitor>{{"temperature", 0, 41, "degrees C", -5, 0, 70, 75},
                                               {"receive power", 2, 8e-4, "W", 1e-5, 5e-5, 2e-3, 4e-3}};
  eth0.ethtool.module = module;
  eth0.ethtool.pause = PauseFacts{false, false, false, {}, {}};
  eth0.ethtool.pfc_stall_limit_ms = 8000U;
  PfcFacts pfc;
  pfc.capability = 8;
  pfc.enabled = 1U << 3;
  pfc.delay = 7;
  eth0.dcb.pfc = pfc;
  EtsFacts ets;
  ets.capability = 8;
  ets.algorithm.fill(kAlgorithmVendor);
  ets.priority_to_class = {1, 0, 2, 3, 4, 5, 6, 7};  // as mlx5 leaves it
  eth0.dcb.ets = ets;
  BufferFacts buffers;
  buffers.priority_to_buffer = {0, 0, 0, 1, 0, 0, 0, 0};
  buffers.size_bytes = {262016, 524032, 0, 0, 0, 0, 0, 0};
  buffers.total_bytes = 1048064;
  eth0.dcb.buffers = buffers;
  eth0.dcb.max_rate = std::array<std::uint64_t, kPriorities>{};
  eth0.dcb.dcbx = 1U | 4U | 8U;
  eth0.dcb.trust = std::string("dscp");
  std::vector<std::uint32_t> map;
  for (std::uint32_t dscp = 0; dscp < 64; ++dscp) map.push_back(dscp / 8);
  eth0.dcb.dscp_to_priority = map;

  using Id = CounterId;
  const auto add = [](CounterReadings& readings, Id id, std::uint64_t raw, double scale = 1,
                      std::uint8_t lane = kNoLane, std::uint8_t width = 64) {
    readings.values.push_back({id, lane, width, raw, scale});
    readings.offered.push_back(id);
  };
  CounterReadings& of_netdev = eth0.counters;
  of_netdev.driver_known = true;
  of_netdev.at_monotonic_ns = out.before.monotonic_ns;
  add(of_netdev, Id::CarrierDownEvents, 7, 1, kNoLane, 32);
  add(of_netdev, Id::LinkDownEvents, 11, 1, kNoLane, 32);
  add(of_netdev, Id::TxPauseStormWarning, 3);
  add(of_netdev, Id::TxPauseStormError, 1);
  add(of_netdev, Id::RxBytesPhy, 91'234'567'890'123);
  add(of_netdev, Id::TxBytesPhy, 88'034'564'921'216);
  add(of_netdev, Id::RxDiscardsPhy, 40'213'334);
  add(of_netdev, Id::RxPacketsPhy, 45'000'000'000);
  add(of_netdev, Id::RxCrcErrors, 1'234);
  add(of_netdev, Id::RxSymbolErrorPackets, 56);
  add(of_netdev, Id::FecCorrectedBits, 998'877'665'544);
  add(of_netdev, Id::FecCorrectedBlocks, 99'887'766);
  add(of_netdev, Id::FecUncorrectableBlocks, 4'711);
  add(of_netdev, Id::SymbolErrorsUncorrected, 815);
  for (std::uint8_t lane = 0; lane < 4; ++lane) add(of_netdev, Id::LaneRawErrors, 250'000'000'000, 1, lane);
  for (const Id id : {Id::ModuleBadShorted, Id::ModuleBusStuck, Id::ModuleHighTemp, Id::ModuleUnplug})
    add(of_netdev, id, 6);
  for (const Id id :
       {Id::PcieRxSignalIntegrity, Id::PcieTxSignalIntegrity, Id::PcieStalledReadSeconds, Id::PcieStalledWriteSeconds})
    add(of_netdev, id, 4'321, 1, kNoLane, 32);
  add(of_netdev, Id::PcieBufferOverflowDrops, 777);
  add(of_netdev, Id::RdmaTxPackets, 40'177'770'079);
  add(of_netdev, Id::RdmaRxPackets, 41'987'339'206);
  add(of_netdev, Id::RdmaTxBytes, 86'000'000'000'000);
  add(of_netdev, Id::RdmaRxBytes, 89'000'000'000'000);
  add(of_netdev, Id::MacPauseRxFrames, 12'345);
  add(of_netdev, Id::MacPauseTxFrames, 23'456);
  add(of_netdev, Id::PfcRxPauseFrames, 900'123'456, 1, 3);
  add(of_netdev, Id::PfcTxPauseFrames, 7'654'321, 1, 3);
  add(of_netdev, Id::PfcRxPauseDuration, 123'456'789'012, 1e-6, 3);
  add(of_netdev, Id::PfcTxPauseDuration, 987'654'321, 1e-6, 3);
  for (std::uint8_t lane = 0; lane < kPriorities; ++lane) {
    add(of_netdev, Id::RxBytesPriority, lane == 3 ? 90'000'000'000'000 : 1'000'000, 1, lane);
    add(of_netdev, Id::TxBytesPriority, lane == 3 ? 87'000'000'000'000 : 1'000'000, 1, lane);
    add(of_netdev, Id::TxPacketsPriority, lane == 3 ? 40'000'000'000 : 10'000, 1, lane);
    add(of_netdev, Id::RxDiscardsPriority, lane < 2 ? 52'123 : 0, 1, lane);
  }
  // mlx5 shows these only while link-level pause is on; the driver's table has them.
  of_netdev.offered.push_back(Id::GlobalPauseRxFrames);
  of_netdev.offered.push_back(Id::GlobalPauseTxFrames);
  sort(of_netdev);
  out.netdevs = {eth0};

  RdmaPort port;
  port.device = "mlx5_0";
  port.key = "0000:3b:00.0/1";
  port.driver = "mlx5_ib";
  port.in_scope = true;
  port.protocol = std::string("roce");
  port.link_layer = std::string("Ethernet");
  port.state = std::string("ACTIVE");
  port.physical_state = std::string("LinkUp");
  port.netdev = std::string("eth0");
  port.pci_address = nic.address;
  port.members = {"eth0"};
  port.active_mtu = port.max_mtu = 4096U;
  const Reading<std::string> on_eth0 = std::string("eth0");
  port.gids = std::vector<GidEntry>{{0, "fe80::e42:a1ff:fe00:1", "RoCE v1", on_eth0},
                                    {1, "fe80::e42:a1ff:fe00:1", "RoCE v2", on_eth0},
                                    {2, "::ffff:10.0.0.1", "RoCE v1", on_eth0},
                                    {3, "::ffff:10.0.0.1", "RoCE v2", on_eth0}};
  port.cma_default_tos = 106U;
  port.cma_default_mode = std::string("RoCE v2");
  port.forced_traffic_class = Absent{Why::NotPresent, "NVIDIA's own driver alone has it"};
  port.counters.driver_known = true;
  port.counters.at_monotonic_ns = out.before.monotonic_ns;
  add(port.counters, Id::PacketSeqErr, 98'765, 1, kNoLane, 32);
  add(port.counters, Id::ImpliedNak, 4'321, 1, kNoLane, 32);
  add(port.counters, Id::LocalAckTimeout, 31'337, 1, kNoLane, 32);
  add(port.counters, Id::TransportRetryExceeded, 42, 1, kNoLane, 32);
  add(port.counters, Id::RnrRetryExceeded, 17, 1, kNoLane, 32);
  add(port.counters, Id::EcnMarkedRx, 412'055);
  add(port.counters, Id::CnpSent, 398'811);
  add(port.counters, Id::CnpHandled, 402'113);
  add(port.counters, Id::CnpIgnored, 12);
  sort(port.counters);
  out.ports = {port};
  return out;
}

std::string words_of(const Judgement& judgement) {
  constexpr const char* kNames[] = {"pass", "fail", "unknown", "not applicable", "not looked at", "attested"};
  std::string out = kNames[static_cast<std::size_t>(judgement.outcome)];
  if (judgement.outcome == Outcome::Fail) out += std::string(" ") + name_of(judgement.severity);
  return out + ": " + judgement.sentence + (judgement.why.empty() ? "" : " [" + judgement.why + "]");
}

void expect_fail(const Judgement& judgement, Severity severity, const std::string& part) {
  EXPECT_TRUE(judgement.outcome == Outcome::Fail && judgement.severity == severity) << words_of(judgement);
  EXPECT_NE(judgement.sentence.find(part), std::string::npos) << words_of(judgement);
  EXPECT_TRUE(judgement.sentence.ends_with(".")) << words_of(judgement);
  EXPECT_FALSE(judgement.evidence.empty()) << words_of(judgement);
  for (const EvidenceItem& item : judgement.evidence) EXPECT_FALSE(item.source.empty()) << item.what;
}

void expect_pass(const Judgement& judgement) {
  EXPECT_EQ(judgement.outcome, Outcome::Pass) << words_of(judgement);
}

void expect_unknown(const Judgement& judgement, Why why) {
  EXPECT_EQ(judgement.outcome, Outcome::Unknown) << words_of(judgement);
  EXPECT_EQ(judgement.why, name_of(why)) << words_of(judgement);
}

void expect_not_applicable(const Judgement& judgement) {
  EXPECT_EQ(judgement.outcome, Outcome::NotApplicable) << words_of(judgement);
  EXPECT_FALSE(judgement.sentence.empty());
}

void expect_not_looked_at(const Judgement& judgement, const std::string& why) {
  EXPECT_EQ(judgement.outcome, Outcome::NotLookedAt) << words_of(judgement);
  EXPECT_EQ(judgement.why, why) << words_of(judgement);
}

}  // namespace roceready::rules_test
