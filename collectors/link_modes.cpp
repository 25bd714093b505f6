// SPDX-License-Identifier: Apache-2.0
#include "collectors/link_modes.h"

#include "collectors/uapi.h"

namespace roceready {
namespace {

struct Range {
  std::uint32_t first, last;
  std::uint64_t mbit_per_second;
};

// Source: linux/ethtool.h, enum ethtool_link_mode_bit_indices. Bits 74 and below 103 as in Linux 6.12, the rest 6.18.
constexpr Range kRanges[] = {
    {0, 1, 10},       {2, 3, 100},        {4, 5, 1000},       {12, 12, 10000},    {15, 15, 2500},      {17, 17, 1000},
    {18, 20, 10000},  {21, 22, 20000},    {23, 26, 40000},    {27, 30, 56000},    {31, 33, 25000},     {34, 35, 50000},
    {36, 39, 100000}, {40, 40, 50000},    {41, 41, 1000},     {42, 46, 10000},    {47, 47, 2500},      {48, 48, 5000},
    {52, 56, 50000},  {57, 61, 100000},   {62, 66, 200000},   {67, 67, 100},      {68, 68, 1000},      {69, 73, 400000},
    {75, 79, 100000}, {80, 84, 200000},   {85, 89, 400000},   {90, 91, 100},      {92, 92, 10},        {93, 98, 800000},
    {99, 102, 10},    {103, 108, 200000}, {109, 114, 400000}, {115, 120, 800000}, {121, 124, 1600000},
};

}  // namespace

std::uint64_t speed_of_link_mode(std::uint32_t bit) {
  for (const Range& range : kRanges) {
    if (bit >= range.first && bit <= range.last) return range.mbit_per_second * 1000000;
  }
  return 0;
}

const char* fec_of_link_mode(std::uint32_t bit) {
  switch (bit) {
    case uapi::kLinkModeBitFecNone:
      return "Off";
    case uapi::kLinkModeBitFecRs:
      return "RS";
    case uapi::kLinkModeBitFecBaser:
      return "BaseR";
    case uapi::kLinkModeBitFecLlrs:
      return "LLRS";
    default:
      return nullptr;
  }
}

}  // namespace roceready
