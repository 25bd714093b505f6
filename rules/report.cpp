// SPDX-License-Identifier: Apache-2.0
#include "rules/report.h"

#include <algorithm>

#include "rules/rule.h"

namespace roceready::rules {

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Critical:
      return "critical";
  }
  return "info";
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::NotApplicable:
      return "not_applicable";
    case Verdict::Ready:
      return "ready";
    case Verdict::Initializing:
      return "initializing";
    case Verdict::Degraded:
      return "degraded";
    case Verdict::Unknown:
      return "unknown";
    case Verdict::NotReady:
      return "not_ready";
  }
  return "unknown";
}

const char* name_of(Action action) {
  switch (action) {
    case Action::Monitor:
      return "monitor";
    case Action::FixConfig:
      return "fix_config";
    case Action::Replace:
      return "replace";
    case Action::Isolate:
      return "isolate";
    case Action::Reset:
      return "reset";
    case Action::Triage:
      return "triage";
  }
  return "triage";
}

const char* name_of(Mode mode) {
  switch (mode) {
    case kLossless:
      return "lossless";
    case kPfcOnly:
      return "pfc-only";
    case kLossy:
      return "lossy";
    case kNotRoce:
      return "not-roce";
  }
  return "lossless";
}

const char* name_of(ProfileOrigin origin) {
  switch (origin) {
    case ProfileOrigin::Named:
      return "named";
    case ProfileOrigin::Inferred:
      return "inferred";
    case ProfileOrigin::Kept:
      return "kept";
    case ProfileOrigin::None:
      return "none";
  }
  return "none";
}

const Finding* Report::finding(const std::string& key) const {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.key == key; });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace roceready::rules
