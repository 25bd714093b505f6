// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "core/base/text.h"
#include "daemon/cli/command.h"

namespace roceready::daemon::cli {
namespace {

CLI::Option* add(CLI::App& app, const OptionSpec& spec) {
  std::string names = spec.names;
  const bool required = names.ends_with('+');
  if (required) names.pop_back();
  CLI::Option* option = nullptr;
  if (auto* const* flag = std::get_if<bool*>(&spec.to)) {
    option = app.add_flag(names, **flag, spec.help);
  } else if (auto* const* text = std::get_if<std::string*>(&spec.to)) {
    option = app.add_option(names, **text, spec.help)->option_text(spec.value);
  } else if (auto* const* several = std::get_if<Words*>(&spec.to)) {
    option = app.add_option(names, **several, spec.help)->option_text(spec.value);
  } else {
    // The value may be left out, and is then empty.
    std::optional<std::string>* to = std::get<std::optional<std::string>*>(spec.to);
    option = app.add_option_function<std::string>(
                    names, [to](const std::string& value) { *to = value; }, spec.help)
                 ->expected(0, 1)
                 ->option_text(spec.value);
  }
  if (required) option->required();
  if (spec.hidden) option->group("");
  return option;
}

std::string advice(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) known.push_back(option->get_name());
  const std::string near = nearest_of(word.substr(0, word.find('=')), known);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

}  // namespace

std::optional<int> parse(const Command& command, const std::vector<OptionSpec>& options, const Words& words,
                         Terminal& terminal) {
  const std::string program = std::string("roceready ") + command.name;
  CLI::App app(command.help, program);
  app.allow_extras(false);
  // What is wrong must be told as one sentence, so CLI11's exceptions end here.
  try {
    for (const OptionSpec& spec : options) add(app, spec);
    Words reversed(words.rbegin(), words.rend());  // as CLI11 wants a vector
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    terminal.out(app.help());
    return kOk;
  } catch (const CLI::ExtrasError&) {
    Words extras = app.remaining();
    const std::string word = extras.empty() ? "" : extras.front();
    return usage(terminal, "\"" + clean_text(word) + "\" is no option of " + program + advice(app, word) + " (" +
                               program + " --help)");
  } catch (const CLI::ParseError& error) {
    return usage(terminal, clean_text(error.what()) + " (" + program + " --help)");
  } catch (const std::exception& error) {
    return usage(terminal, clean_text(error.what()));
  }
}

}  // namespace roceready::daemon::cli
