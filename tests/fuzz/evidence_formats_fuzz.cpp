// SPDX-License-Identifier: Apache-2.0
// A parser by itself, whatever the lines look like. ROCEREADY_FORMAT is the number of its format in
// collectors/evidence/catalog.def, from 0; without it the first byte of the input says which.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/settle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roceready::evidence;
  static const char* const kChosen = std::getenv("ROCEREADY_FORMAT");
  if (kChosen == nullptr && size-- < 1) return 0;
  const std::size_t number = kChosen != nullptr ? std::strtoul(kChosen, nullptr, 10) : *data++;
  const Format& format = *formats()[number % formats().size()];
  Section section;
  section.format = &format;
  section.file = "file.txt";
  section.about = {"eth0", "mlx5_0", 1, "0000:3b:00.0"};
  section.lines = lines_of({reinterpret_cast<const char*>(data), size});
  for (const Line& line : section.lines) {
    About about;
    static_cast<void>(format.fit(line.text, about));
  }
  Draft draft;
  format.parse(section, draft);
  std::vector<std::string> assumptions;
  static_cast<void>(settled(draft, {}, "", "", assumptions));
  return 0;
}
