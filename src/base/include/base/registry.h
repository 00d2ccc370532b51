// A table of things that users choose by name, such as compressors, partitions or samplers. A row has a `name`, a
// `summary` for `pollen list`, and whatever the choice needs. The table offers look-up, a listing, and an error with a
// suggestion for unknown names. Reading is thread-safe; add() is not.
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
  using value_type = Row;  // for ::testing::ValuesIn and algorithms of containers

  // `key` is the configuration key that holds the name, for error messages.
  Registry(std::string key, std::initializer_list<Row> rows) : key_(std::move(key)) {
    for (const Row& row : rows) add(row);
  }

  const Row* find(std::string_view name) const {  // null if there is none
    for (const Row& row : rows_)
      if (row.name == name) return &row;
    return nullptr;
  }

  const Row& at(const std::string& name) const {  // ConfigError if there is none
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

  // Adds a row. Pointers to other rows stay valid. Nothing may read the table meanwhile, so call this before a run.
  void add(Row row) {
    if (find(row.name) != nullptr) throw std::invalid_argument(key_ + ": " + std::string(row.name) + " is taken");
    rows_.push_back(std::move(row));
  }

 private:
  std::string key_;
  std::deque<Row> rows_;
};

}  // namespace pollen
