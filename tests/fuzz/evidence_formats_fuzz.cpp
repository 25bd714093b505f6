// SPDX-License-Identifier: Apache-2.0
// Every parser by itself, whatever the lines look like: the first byte says which format, the rest is its output.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/settle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roceready::evidence;
  if (size < 1) return 0;
  const Format& format = *formats()[data[0] % formats().size()];
  Section section;
  section.format = &format;
  section.file = "file.txt";
  section.about = {"eth0", "mlx5_0", 1, "0000:3b:00.0"};
  section.lines = lines_of({reinterpret_cast<const char*>(data + 1), size - 1});
  for (const Line& line : section.lines) {
    About about;
    static_cast<void>(format.fit(line.text, about));
  }
  Draft draft;
  format.parse(section, draft);
  std::vector<std::string> assumptions;
  static_cast<void>(settled(draft, {}, "", assumptions));
  return 0;
}
