// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/writer.h"

#include <ctime>

#include <chrono>
#include <utility>

#include "daemon/log.h"

namespace roceready::daemon {
namespace {

constexpr std::chrono::seconds kRetry{60};

std::int64_t time_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Instant state_time() {
  return {time_of(CLOCK_BOOTTIME), time_of(CLOCK_REALTIME)};
}

StateWriter::StateWriter(std::string directory, StoreLimits limits, std::optional<Store> store, std::string problem)
    : directory_(std::move(directory)), limits_(limits), store_(std::move(store)) {
  status_.writable = store_.has_value();
  status_.problem = std::move(problem);
  if (store_) status_.file_bytes = store_->file_bytes();
  thread_ = std::thread([this] { run(); });
}

StateWriter::~StateWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void StateWriter::put(StoreBatch batch) {
  if (batch.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, incident] : batch.incidents) waiting_.incidents.insert_or_assign(id, std::move(incident));
    for (auto& [name, data] : batch.kept) waiting_.kept.insert_or_assign(name, std::move(data));
    auto& all = waiting_.incidents;
    for (auto each = all.begin(); all.size() > kMostWaiting && each != all.end();)
      each = each->second.state == rules::IncidentState::Ended ? all.erase(each) : std::next(each);
  }
  wake_.notify_all();
}

/// What could not be written waits on, unless something newer of the same name came meanwhile.
void StateWriter::give_back(StoreBatch batch) {
  waiting_.incidents.merge(batch.incidents);
  waiting_.kept.merge(batch.kept);
}

void StateWriter::write_once(StoreBatch batch) {
  std::string problem;
  std::uint64_t anew = 0;
  bool damage = false;
  if (!store_) {
    auto opened = Store::open(directory_, limits_, state_time());
    if (opened) {
      store_.emplace(std::move(*opened));
      for (const std::string& note : store_->notes()) log(Level::Warning, note);
      anew = store_->notes().empty() ? 0 : 1;
    } else {
      problem = opened.error().text();
    }
  }
  if (store_) {
    if (auto done = store_->write(batch, state_time()); !done) {
      problem = done.error().text();
      // Opening anew looks at the whole file and sets it aside if it has to.
      damage = Store::is_damage(done.error());
      if (damage) store_.reset();
    }
  }
  const std::uint64_t bytes = store_ ? store_->file_bytes() : 0;
  const std::lock_guard lock(mutex_);
  if (!problem.empty()) give_back(std::move(batch));
  if (problem != status_.problem) {
    if (problem.empty())
      log(Level::Info, "state is kept again", {{"directory", directory_}});
    else
      log(Level::Warning, "state cannot be kept, running on without", {{"problem", problem}});
  }
  status_.writable = problem.empty();
  status_.problem = std::move(problem);
  status_.file_bytes = bytes;
  status_.begun_anew += anew;
  // A file that turned out to be damaged is dealt with at once, but once; everything else in a minute.
  retry_later_ = !status_.writable && (!damage || damage_seen_);
  damage_seen_ = damage;
}

void StateWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (retry_later_ && !stopping_) {
      idle_.notify_all();
      wake_.wait_for(lock, kRetry, [this] { return stopping_; });
    } else {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    }
    retry_later_ = false;
    if (!waiting_.empty()) {
      busy_ = true;
      StoreBatch batch = std::exchange(waiting_, {});
      lock.unlock();
      write_once(std::move(batch));
      lock.lock();
      busy_ = false;
    }
    if (waiting_.empty()) idle_.notify_all();
    // What came during the last write is written too; what cannot be written is not waited for.
    if (stopping_ && (waiting_.empty() || retry_later_)) break;
  }
  ended_ = true;
  idle_.notify_all();
}

bool StateWriter::finish(std::int64_t most_ms) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  return idle_.wait_for(lock, std::chrono::milliseconds(most_ms), [this] { return ended_; });
}

KeepingStatus StateWriter::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void StateWriter::settle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return (waiting_.empty() && !busy_) || retry_later_ || ended_; });
}

}  // namespace roceready::daemon
