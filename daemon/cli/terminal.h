// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roceready::daemon::cli {

/// Where a command talks: results to out, everything else to err. Tests use one that keeps the text.
class Terminal {
 public:
  virtual ~Terminal() = default;
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
  [[nodiscard]] virtual bool out_has_colour() const { return false; }  ///< stdout is a terminal and NO_COLOR is not set
  [[nodiscard]] virtual bool err_is_terminal() const { return false; }
};

/// The process's own stdout and stderr. Text is written at once, so that a failure is known.
class StandardTerminal : public Terminal {
 public:
  /// Gives closed standard descriptors /dev/null, so that no file of ours becomes somebody's stdout; a closed stdout
  /// then counts as failed.
  StandardTerminal();
  void out(std::string_view text) override;
  void err(std::string_view text) override;
  [[nodiscard]] bool out_has_colour() const override;
  [[nodiscard]] bool err_is_terminal() const override;
  /// errno of the first failed write to stdout; 0 when all went well, or the reader only went away (`| head`).
  [[nodiscard]] int failure() const { return failure_; }

 private:
  bool reader_left_ = false;
  int failure_ = 0;
};

}  // namespace roceready::daemon::cli
