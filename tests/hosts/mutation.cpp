// SPDX-License-Identifier: Apache-2.0
#include "tests/hosts/mutation.h"

#include <cerrno>
#include <regex>
#include <set>

namespace roceready::hosts {
namespace {

constexpr std::size_t kOversize = 200'000;

std::string noise(std::size_t length, std::mt19937_64& random) {
  std::string out(length, '\0');
  for (char& byte : out) byte = static_cast<char>(random() & 0xffU);
  return out;
}

void refuse(Answer& answer, int number) {
  answer = Answer();
  answer.kind = Answer::Kind::Refused;
  answer.error = os_error(number, "refused", "a test");
}

void damage_bytes(std::string& bytes, Damage damage, std::mt19937_64& random) {
  switch (damage) {
    case Damage::Empty:
      bytes.clear();
      return;
    case Damage::Halve:
      bytes.resize(bytes.size() / 2);
      return;
    case Damage::FlipBits:
      for (std::size_t i = 0; i < 1 + bytes.size() / 64 && !bytes.empty(); ++i) {
        char& byte = bytes[random() % bytes.size()];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random() % 8));
      }
      return;
    case Damage::AppendGarbage:
      bytes += noise(1 + random() % 40, random);
      return;
    case Damage::Oversize:
      bytes += noise(kOversize, random);
      return;
    default:
      return;
  }
}

void damage_list(std::vector<std::string>& items, Damage damage, std::mt19937_64& random) {
  if (damage == Damage::Empty) items.clear();
  if (damage == Damage::Halve) items.resize(items.size() / 2);
  if (damage == Damage::AppendGarbage) items.push_back(noise(1 + random() % 40, random));
  if (damage == Damage::Oversize) items.insert(items.end(), 2000, noise(100, random));
  if (damage == Damage::FlipBits && !items.empty()) damage_bytes(items[random() % items.size()], damage, random);
}

}  // namespace

const std::vector<Damage>& all_damages() {
  static const std::vector<Damage> all{Damage::Remove,        Damage::RefuseIo,      Damage::RefusePermission,
                                       Damage::RefuseSupport, Damage::RefuseInvalid, Damage::Empty,
                                       Damage::Halve,         Damage::FlipBits,      Damage::AppendGarbage,
                                       Damage::Oversize,      Damage::Freeze};
  return all;
}

const char* name_of(Damage damage) {
  switch (damage) {
    case Damage::Remove:
      return "removed";
    case Damage::RefuseIo:
      return "refused with EIO";
    case Damage::RefusePermission:
      return "refused with EPERM";
    case Damage::RefuseSupport:
      return "refused with EOPNOTSUPP";
    case Damage::RefuseInvalid:
      return "refused with EINVAL";
    case Damage::Empty:
      return "emptied";
    case Damage::Halve:
      return "cut in half";
    case Damage::FlipBits:
      return "with flipped bits";
    case Damage::AppendGarbage:
      return "with garbage behind";
    case Damage::Oversize:
      return "oversized";
    case Damage::Freeze:
      return "frozen";
  }
  return "?";
}

bool may_lie(Damage damage) {
  return damage == Damage::FlipBits || damage == Damage::AppendGarbage || damage == Damage::Oversize ||
         damage == Damage::Freeze;
}

std::string kind_of_key(const std::string& key) {
  static const std::regex kNames(
      R"((^|/)(mlx5_[^/]+|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9]|enp[^/]+|ibp[^/]+|ens[^/]+|eno1|[0-9]+)(?=/|$))");
  return std::regex_replace(key, kNames, "$1*");
}

std::vector<std::string> keys_of(const Recording& recording) {
  std::set<std::string> out;
  for (const RecordedSample& sample : recording.samples)
    for (const auto& [key, answer] : sample.answers) out.insert(key);
  return {out.begin(), out.end()};
}

bool apply(Recording& recording, const std::string& key, Damage damage, std::mt19937_64& random) {
  bool changed = false;
  for (std::size_t i = 0; i < recording.samples.size(); ++i) {
    auto& answers = recording.samples[i].answers;
    const auto at = answers.find(key);
    if (at == answers.end()) continue;
    Answer& answer = at->second;
    const Answer before = answer;
    switch (damage) {
      case Damage::Remove:
        answers.erase(at);
        changed = true;
        continue;
      case Damage::RefuseIo:
        refuse(answer, EIO);
        break;
      case Damage::RefusePermission:
        refuse(answer, EPERM);
        break;
      case Damage::RefuseSupport:
        refuse(answer, EOPNOTSUPP);
        break;
      case Damage::RefuseInvalid:
        refuse(answer, EINVAL);
        break;
      case Damage::Freeze:
        if (i > 0) answers.erase(at), changed = true;
        continue;
      default:
        if (answer.kind == Answer::Kind::Data) damage_bytes(answer.data, damage, random);
        if (answer.kind == Answer::Kind::List) damage_list(answer.items, damage, random);
    }
    changed = changed || !(answer == before);
  }
  return changed;
}

}  // namespace roceready::hosts
