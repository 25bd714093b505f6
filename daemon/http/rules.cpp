// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "daemon/export/rule_text.h"
#include "daemon/http/resources.h"
#include "rules/engine.h"

namespace roceready::daemon::http {

Response rules_list(const Request&, const Site&) {
  return json_response(rules_json(rules::catalogue()));
}

Response rule_by_id(const Request& request, const Site&) {
  const std::string id = request.path.substr(request.path.rfind('/') + 1);
  if (const rules::Rule* rule = rules::rule_named(id)) return json_response(rule_json(*rule));
  std::vector<std::string> ids;
  for (const rules::Rule* rule : rules::catalogue()) ids.emplace_back(rule->id);
  const std::string near = nearest_of(id, ids);
  return problem(404, "No such rule",
                 "\"" + clean_text(id) + "\" is no rule." +
                     (near.empty() ? " /api/v1/rules lists them." : " Did you mean " + near + "?"));
}

}  // namespace roceready::daemon::http
