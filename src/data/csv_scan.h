// RFC 4180 records: quotes, doubled quotes, newlines inside quotes, \n or \r\n (or \r) between records. Blank lines are
// skipped. Fields are views into the text, or into the scanner where quotes were doubled, until the next record.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace pollen::data {

class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file);

  bool next(std::vector<std::string_view>& fields);  // false at the end
  std::size_t line() const { return record_line_; }  // where the record began, from 1

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
