// Splits text into RFC 4180 records with quotes, doubled quotes and newlines inside quotes. Records end with \n, \r\n
// or \r; blank lines are skipped. Fields are valid until the next record: they are views into the text, or into the
// scanner if a field had doubled quotes. Not thread-safe.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace pollen::data {

class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file);

  bool next(std::vector<std::string_view>& fields);  // returns false at the end
  std::size_t line() const { return record_line_; }  // the line on which the record began, counted from 1

 private:
  void choose_separator();
  void skip_blank_lines();
  std::string_view plain_field();
  std::string_view quoted_field();
  void end_of_line();
  bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }
  [[noreturn]] void fail(const std::string& why) const;

  std::string_view text_;
  const std::string& file_;
  char separator_ = ',';
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
  std::deque<std::string> unquoted_;
};

}  // namespace pollen::data
