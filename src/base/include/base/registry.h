// A table of things that users choose by name: compressors, partitions, samplers, ... A row has a `name`, a `summary`
// for `pollen list`, and whatever the choice needs. Looking up, listing and refusing unknown names come from the rows.
#pragma once

#include <deque>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace pollen {

template <class Row>
class Registry {
 public:
  // `key` is the configuration key that holds the name, for error messages.
  Registry(std::string key, std::initializer_list<Row> rows) : key_(std::move(key)) {
    for (const Row& row : rows) add(row);
  }

  const Row* find(std::string_view name) const {  // null where there is none
    for (const Row& row : rows_)
      if (row.name == name) return &row;
    return nullptr;
  }

  const Row& at(const std::string& name) const {  // ConfigError where there is none
    if (const Row* row = find(name)) return *row;
    refuse_name(key_, name, names());
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Row& row : rows_) all.emplace_back(row.name);
    return all;
  }

  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  // Rows found before stay where they are. Call this before anything runs: it does not wait for readers.
  void add(Row row) {
    if (find(row.name) != nullptr) throw std::invalid_argument(key_ + ": " + std::string(row.name) + " is taken");
    rows_.push_back(std::move(row));
  }

 private:
  std::string key_;
  std::deque<Row> rows_;
};

}  // namespace pollen
