// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/places.h"

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "daemon/evidence/cite.h"

namespace roceready::daemon {

using nlohmann::json;

std::string places_json(const evidence::Draft& draft) {
  json sources = json::object();
  for (const evidence::Draft::Cited& one : draft.cited()) sources[one.source][one.name] = one.place;
  return sources.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<evidence::Draft> read_places(const std::filesystem::path& directory) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{32} << 20;
  const std::filesystem::path path = directory / kPlacesFile;
  evidence::Draft out;
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault)) return out;
  const auto size = std::filesystem::file_size(path, fault);
  if (fault || size > kMostBytes)
    return Error{ErrorCode::Malformed, "cannot be read or is larger than 32 MiB", path.string(), 0};
  std::ifstream file(path, std::ios::binary);
  const json sources = json::parse(file, nullptr, false);
  const auto malformed = [&] {
    return Error{ErrorCode::Malformed, "is not an object of objects of \"file:line\"", path.string(), 0};
  };
  if (!sources.is_object()) return malformed();
  for (const auto& [source, names] : sources.items()) {
    if (!names.is_object()) return malformed();
    for (const auto& [name, place] : names.items()) {
      if (!place.is_string()) return malformed();
      out.cite_place(source, name, clean_text(place.get<std::string>()));
    }
  }
  return out;
}

Result<rules::ReportPtr> with_places(rules::ReportPtr report, const std::filesystem::path& directory) {
  const auto places = read_places(directory);
  if (!places) return places.error();
  if (places->cited().empty()) return report;
  auto cited = std::make_shared<rules::Report>(*report);
  cite_files(*places, *cited);
  return rules::ReportPtr(std::move(cited));
}

}  // namespace roceready::daemon
