// SPDX-License-Identifier: Apache-2.0
#include "collectors/pci_identity.h"

#include "collectors/collector.h"

namespace roceready {

Reading<std::string> vendor_device(Files& files, const std::string& base) {
  const auto vendor = read_text(files, base + "vendor");
  const auto device = read_text(files, base + "device");
  if (!vendor) return vendor;
  if (!device) return device;
  const auto digits = [](const std::string& text) { return text.starts_with("0x") ? text.substr(2) : text; };
  return digits(*vendor) + ":" + digits(*device);
}

}  // namespace roceready
