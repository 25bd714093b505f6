// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collectors/evidence/draft.h"
#include "collectors/evidence/sysfs_path.h"

namespace roceready::evidence {

/// What became of a file's text.
enum class Kept { Yes, NoFact, Senseless };

/// Writes what one file below /sys or /proc/sys says into the draft. `about` holds whom the section is about where the
/// path itself does not say.
Kept keep_file(Draft& draft, const PathLine& file, const About& about, const Section& section, std::uint32_t line);

/// The parts of it: files of an RDMA device, of a netdev, of a PCI function, of the host.
Kept keep_rdma_file(Draft& draft, const PathLine& file, const About& about, const Section& section, std::uint32_t line);
Kept keep_netdev_file(Draft& draft, const PathLine& file, const About& about, const Section& section,
                      std::uint32_t line);
Kept keep_pci_file(Draft& draft, const PathLine& file, const About& about, const Section& section, std::uint32_t line);
Kept keep_host_file(Draft& draft, const PathLine& file, const Section& section, std::uint32_t line);

/// Why a file of a vendor's driver (RdmaPort::vendor_files) could not be read; NotSupported where the driver has none.
[[nodiscard]] Absent refusal_of_vendor_file(std::string_view message);

}  // namespace roceready::evidence
