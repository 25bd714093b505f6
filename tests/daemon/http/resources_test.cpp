// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/http/negotiation.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon::http {
namespace {

class Resources : public testing::Test {
 protected:
  void publish(const std::string& netdev = "eth0") {
    auto report = std::make_shared<const rules::Report>(sample_report(netdev));
    CounterTable counters = counter_table(*report, history_of(*report));
    board_.publish(std::make_shared<const Published>(report, std::move(counters), ProcessFacts{}, DaemonFacts{}));
    board_.beat(now_ns_, 2'000'000'000);
  }
  Response get(const std::string& path, std::map<std::string, std::string> query = {}, const std::string& accept = "",
               const std::string& encoding = "") {
    Request request;
    request.path = path;
    request.query = std::move(query);
    request.accept = accept;
    request.accept_encoding = encoding;
    return answer(request, {board_, [this] { return now_ns_; }});
  }
  Board board_;
  std::int64_t now_ns_ = 1'000'000'000'000;
};

TEST_F(Resources, are_not_ready_before_the_first_report) {
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(get("/metrics").status, 503);
  EXPECT_EQ(get("/diagnose").status, 503);
  EXPECT_EQ(get("/").status, 200);
  publish();
  EXPECT_EQ(get("/readyz").status, 200);
}

TEST_F(Resources, are_healthy_while_the_sampler_ticks) {
  EXPECT_EQ(get("/healthz").status, 503);
  board_.beat(now_ns_, 2'000'000'000);
  now_ns_ += 20'000'000'000;
  EXPECT_EQ(get("/healthz").status, 200);
  now_ns_ += 1;
  EXPECT_EQ(get("/healthz").status, 503);
}

TEST_F(Resources, tell_what_probes_know_now_and_not_what_the_newest_sample_knew) {
  publish();  // and no further sample for longer than an engine may be silent
  int seconds = 0;
  bool probing = true;
  const Site site{board_,
                  [this] { return now_ns_; },
                  {},
                  Serves::All,
                  [&]() -> std::optional<std::string> {
                    if (!probing) return std::nullopt;
                    return R"({"running_seconds":)" + std::to_string(++seconds) + "}";
                  }};
  Request request;
  request.path = "/api/v1/probes";
  const std::string first = *answer(request, site).body, second = *answer(request, site).body;
  EXPECT_NE(first.find("\"running_seconds\":1}"), std::string::npos) << first;
  EXPECT_NE(second.find("\"running_seconds\":2}"), std::string::npos) << second;
  probing = false;
  EXPECT_EQ(*answer(request, site).body, *get("/api/v1/probes").body) << "that of the sample";
}

TEST_F(Resources, give_no_old_report_when_the_sampler_hangs) {
  publish();
  now_ns_ += 20'000'000'001;
  for (const char* path : {"/diagnose", "/metrics", "/readyz"}) {
    EXPECT_EQ(get(path).status, 503) << path;
    EXPECT_NE(get(path).body->find("stuck"), std::string::npos) << path;
  }
}

TEST_F(Resources, give_metrics_by_content_negotiation) {
  publish();
  const Response plain = get("/metrics");
  EXPECT_EQ(plain.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(get("/metrics").body, plain.body) << "rendered once and kept";
  const Response open = get("/metrics", {}, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
  EXPECT_TRUE(open.content_type.starts_with("application/openmetrics-text"));
  EXPECT_TRUE(open.body->ends_with("# EOF\n"));
  const Response packed = get("/metrics", {}, "", "deflate, gzip");
  EXPECT_EQ(packed.headers.at("Content-Encoding"), "gzip");
  EXPECT_LT(packed.body->size(), plain.body->size());
}

TEST_F(Resources, diagnose_by_format_port_and_severity) {
  publish();
  EXPECT_EQ(nlohmann::json::parse(*get("/diagnose").body)["verdict"], "not_ready");
  const Response text = get("/diagnose", {{"format", "text"}});
  EXPECT_TRUE(text.body->starts_with("NOT READY"));
  EXPECT_EQ(text.headers.at("X-Roceready-Verdict"), "not_ready");
  const auto critical = nlohmann::json::parse(*get("/diagnose", {{"min_severity", "critical"}}).body);
  EXPECT_EQ(critical["findings"].size(), 2U);
  EXPECT_EQ(get("/diagnose", {{"port", "mlx5_9"}}).status, 404);
  EXPECT_EQ(get("/diagnose", {{"port", "mlx5_2"}}).headers.at("X-Roceready-Verdict"), "not_applicable");
  EXPECT_EQ(get("/diagnose", {{"min_severity", "x"}}).status, 400);
  EXPECT_EQ(get("/diagnose", {{"format", "xml"}}).status, 400);
  EXPECT_EQ(get("/diagnose", {{"prot", "mlx5_0"}}).status, 400);
}

TEST_F(Resources, list_the_api) {
  publish();
  EXPECT_EQ(nlohmann::json::parse(*get("/api/v1/ports").body).size(), 2U);
  EXPECT_TRUE(nlohmann::json::parse(*get("/api/v1/snapshot").body).contains("ports"));
  EXPECT_EQ(nlohmann::json::parse(*get("/api/v1/rules").body).size(), rules::catalogue().size());
  EXPECT_EQ(nlohmann::json::parse(*get("/api/v1/rules/pfc-disabled").body)["id"], "pfc-disabled");
  const Response unknown = get("/api/v1/rules/pfc-disable");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_NE(unknown.body->find("pfc-disabled"), std::string::npos);
}

TEST_F(Resources, hide_secrets_of_the_configuration_and_tell_of_a_refused_file) {
  auto view = std::make_shared<ConfigView>();
  view->values = {
      {"ports.include", "[mlx5_0, mlx5_1/1]"}, {"http.password", "hunter2"}, {"probes.secret_file", "/etc/x"}};
  view->reload_success = false;
  view->problems = {{"profil", "profil: unknown"}};
  board_.set_config(view);
  const auto out = nlohmann::json::parse(*get("/api/v1/config").body);
  EXPECT_EQ(out["values"]["ports.include"]["value"], (nlohmann::json{"mlx5_0", "mlx5_1/1"}));
  EXPECT_EQ(out["values"]["http.password"]["value"], "hidden");
  EXPECT_EQ(out["values"]["probes.secret_file"]["value"], "/etc/x");
  EXPECT_EQ(out["reload_success"], false);
  EXPECT_EQ(out["problems"][0]["message"], "profil: unknown");
}

TEST_F(Resources, answer_other_paths_and_methods_with_a_problem_that_helps) {
  const Response lost = get("/metric");
  EXPECT_EQ(lost.status, 404);
  EXPECT_EQ(lost.content_type, "application/problem+json");
  EXPECT_NE(lost.body->find("Did you mean /metrics?"), std::string::npos);
  Request request;
  request.path = "/metrics";
  request.method = "POST";
  const Response refused = answer(request, {board_, [] { return std::int64_t{0}; }});
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.headers.at("Allow"), "GET, HEAD");
}

TEST_F(Resources, escape_names_on_the_page) {
  publish(kHostile);
  const Response page = get("/");
  EXPECT_EQ(page.body->find("<b>"), std::string::npos);
  EXPECT_NE(page.body->find("&lt;b&gt;"), std::string::npos);
  EXPECT_TRUE(page.headers.contains("Content-Security-Policy"));
}

TEST(Negotiation, weighs_what_the_client_prefers) {
  EXPECT_EQ(metrics_format(""), MetricsFormat::Text);
  EXPECT_EQ(metrics_format("*/*"), MetricsFormat::Text);
  EXPECT_EQ(metrics_format("Application/OpenMetrics-Text; q=0.9, text/plain;q=1"), MetricsFormat::Text);
  EXPECT_EQ(metrics_format("application/openmetrics-text;q=0"), MetricsFormat::Text);
  EXPECT_TRUE(wants_gzip("br;q=1.0, gzip;q=0.8"));
  EXPECT_FALSE(wants_gzip("gzip;q=0"));
  EXPECT_FALSE(wants_gzip("identity"));
}

TEST(EndpointOf, takes_names_addresses_and_every_address) {
  EXPECT_EQ(parse_endpoint("[::]:9885")->host, "::");
  EXPECT_EQ(parse_endpoint("127.0.0.1:80")->text(), "127.0.0.1:80");
  EXPECT_EQ(parse_endpoint(":9885")->text(), "[::]:9885");
  for (const char* bad : {"", "9885", "::1:9885", "[::]", "host:99999", "[]:1", "host:x"})
    EXPECT_FALSE(parse_endpoint(bad)) << bad;
}

}  // namespace
}  // namespace roceready::daemon::http
