// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/manager.h"

namespace roceready::probes::cm {

const char* name_of(Stage stage) {
  switch (stage) {
    case Stage::AddressResolution:
      return "address resolution";
    case Stage::RouteResolution:
      return "route resolution";
    case Stage::Connect:
      return "connect";
  }
  return "?";
}

}  // namespace roceready::probes::cm
