// SPDX-License-Identifier: Apache-2.0
#include "collectors/vendors/vendor.h"

#include <algorithm>
#include <array>

namespace roceready {

#define VENDOR(table) extern const VendorTable table;
#include "collectors/vendors/catalog.def"
#undef VENDOR
extern const VendorTable kGeneric;

namespace {

constexpr std::array kTables{
#define VENDOR(table) &table,
#include "collectors/vendors/catalog.def"
#undef VENDOR
};

const VendorTable* find(std::string_view driver, std::span<const std::string_view> VendorTable::*drivers) {
  for (const VendorTable* table : kTables) {
    const auto& names = table->*drivers;
    if (std::find(names.begin(), names.end(), driver) != names.end()) return table;
  }
  return nullptr;
}

}  // namespace

std::span<const VendorTable* const> vendor_tables() {
  return kTables;
}
const VendorTable* vendor_of_netdev(std::string_view driver) {
  return find(driver, &VendorTable::netdev_drivers);
}
const VendorTable* vendor_of_rdma(std::string_view driver) {
  return find(driver, &VendorTable::rdma_drivers);
}
const VendorTable& generic_table() {
  return kGeneric;
}

}  // namespace roceready
