// csv files as people have them, read with defaults alone: those that must work, with what they become, and those that
// hold a mistake or an identifier, with what is said.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "files.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using Cell = std::function<std::string(int)>;

struct CsvCase {
  std::string name, text;
  std::string says;                // what is said, or nothing if the file is fine
  std::string becomes = "c,dose";  // the features of a file that is fine; not compared if empty
  Index rows = 0;                  // of a file that is fine; 0: any
};
void PrintTo(const CsvCase& one, std::ostream* out) { *out << one.name; }

// A number from 0 to most-1 that is the same in every run and looks drawn.
int drawn(int r, int most) {
  return static_cast<int>((static_cast<std::uint32_t>(r) * 2654435761U >> 8) % static_cast<std::uint32_t>(most));
}

// Rows of a column c, or one of another name, with a dose and a label beside it.
std::string file_with(const std::string& column, int rows, const Cell& cell, const std::string& end = "\n") {
  std::string text = column + ",dose,sick" + end;
  for (int r = 0; r < rows; ++r)
    text += fmt::format("{},{}.5,{}{}", cell(r), drawn(r, 9), r % 3 == 0 ? "no" : "yes", end);
  return text;
}

CsvCase fine(const std::string& name, const std::string& column, int rows, const Cell& cell,
             const std::string& becomes) {
  return {name, file_with(column, rows, cell), "", becomes, rows};
}

// A column whose one-hot names are not compared.
CsvCase refused(const std::string& name, const std::string& column, int rows, const Cell& cell,
                const std::string& says) {
  return {name, file_with(column, rows, cell), says};
}

Cell number(int first, int step) {
  return [=](int r) { return std::to_string(first + step * r); };
}
Cell some(int least, int most) {
  return [=](int r) { return std::to_string(least + drawn(r, most - least)); };
}
Cell text(const char* pattern) {
  return [=](int r) { return fmt::format(fmt::runtime(pattern), r); };
}
Cell one_of(const std::vector<std::string>& levels) {
  return [=](int r) { return levels[static_cast<std::size_t>(r) % levels.size()]; };
}

std::vector<CsvCase> measures() {
  return {
      fine("ages", "age", 60, some(18, 90), "age,dose"),
      fine("ages_all_different_and_sorted", "age", 40, number(30, 1), "age,dose"),
      fine("years_1998_to_2020", "year", 23, number(1998, 1), "year,dose"),
      fine("years_without_the_name", "c", 23, number(1998, 1), "c,dose"),
      fine("days_1_to_365", "day", 365, number(1, 1), "day,dose"),
      fine(
          "incomes_all_different", "income", 50,
          [](int r) { return std::to_string(21'003 + 1'009 * drawn(r, 97) + r); }, "income,dose"),
      fine("incomes_sorted", "c", 50, number(21'003, 997), "c,dose"),
      fine("incomes_in_yen", "income_jpy", 50, number(3'100'017, 91'373), "income_jpy,dose"),
      fine("timestamps", "time", 50, number(1'700'000'000, 86'413), "time,dose"),
      fine("timestamps_with_fractions", "c", 50, text("17000{:05}.25"), "c,dose"),
      fine("counts", "visits", 80, some(0, 30), "visits,dose"),
      fine("counts_like_postal_codes", "inhabitants", 60, some(10'000, 99'999), "inhabitants,dose"),
      fine(
          "sorted_measurements", "c", 60, [](int r) { return fmt::format("{}.{}", r / 3, r % 10); }, "c,dose"),
      fine("all_different_fractions", "c", 60, text("{}.125"), "c,dose"),
      fine("whole_numbers_below_zero", "c", 60, number(-30, 1), "c,dose"),
      fine("a_score_of_an_id", "id_score", 40, number(13, 7), "id_score,dose"),
      fine("names_with_letters_of_words", "Candidate", 40, some(0, 9), "Candidate,dose"),
      fine("valid", "valid", 40, some(0, 2), "valid,dose"),
      fine("grid", "grid", 40, some(0, 30), "grid,dose"),
      fine("twelve_patients", "patient", 12, number(1, 1), "patient,dose"),
      fine("a_ward_id", "ward_id", 60, some(1, 9), "ward_id,dose"),
      fine("constant", "c", 30, number(7, 0), "dose"),
  };
}

std::vector<CsvCase> texts() {
  return {
      fine(
          "twelve_levels", "c", 100, [](int r) { return fmt::format("ward {:02}", r % 12); }, ""),
      fine("booleans", "c", 30, one_of({"true", "false"}), "c=true,dose"),
      fine("capital_booleans", "c", 30, one_of({"TRUE", "FALSE"}), "c=TRUE,dose"),
      fine("yes_and_no", "c", 30, one_of({"yes", "no"}), "c=yes,dose"),
      fine("a_level_with_the_columns_name", "smoker", 30, one_of({"smoker", "never"}), "smoker=smoker,dose"),
      fine("unicode", "größe (m²)", 30, one_of({"klein", "groß"}), "größe (m²)=klein,dose"),
      fine("age_groups", "c", 30, one_of({"18-24", "25-34", "35-44"}), "c=25-34,c=35-44,dose"),
      fine("dilutions", "c", 30, one_of({"1:10", "1:20", "1:40"}), "c=1:20,c=1:40,dose"),
      fine("doses_with_a_unit", "c", 30, one_of({"5 mg", "10 mg"}), "c=5 mg,dose"),
      fine("months", "c", 36, one_of({"2021-01", "2021-02", "2021-03"}), ""),
      fine("n_a_among_levels", "c", 30, one_of({"N/A", "left", "right"}), "c=left,c=right,dose"),
      fine("quotes_inside", "c", 30, one_of({"\"A,1\"", "\"say \"\"B\"\"\""}), ""),
  };
}

std::vector<CsvCase> identifiers() {
  return {
      refused("row_numbers", "X", 30, number(1, 1), "column X: found 30 whole numbers from 1 to 30"),
      refused("ids_from_1000", "c", 30, number(1000, 1), "from 1000 to 1029, no two alike"),
      refused(
          "ids_with_gaps", "c", 40, [](int r) { return std::to_string(100 + r + r / 3); }, "no two alike"),
      refused("ids_that_are_called_so", "patient_id", 40, number(1003, 17), "column patient_id"),
      refused("ids_in_small_letters", "patientid", 40, number(1003, 17), "column patientid"),
      refused("patients_by_number", "patient", 40, number(1003, 17), "column patient: found 40 whole numbers"),
      refused(
          "ids_with_several_rows_each", "subject_id", 90, [](int r) { return std::to_string(5000 + 37 * (r / 3)); },
          "found 30 whole numbers from 5000 to 6073, in a column that is called an identifier"),
      refused(
          "numbers_of_subjects", "Subject", 90, [](int r) { return std::to_string(1 + r / 3); }, "column Subject"),
      refused("postal_codes", "zip", 90, some(10'000, 10'050), "column zip"),
      refused("seven_digits", "c", 40, number(3'100'017, 91'373), "column c"),
      refused("mrn_with_a_prefix", "mrn", 40, text("MRN{:06}"), "found 40 levels in 40 rows"),
      refused("twelve_names", "c", 12, text("Ada {}"), "found 12 levels in 12 rows"),
      refused("free_text", "notes", 60, text("\"came with pain, day {}\""), "found 60 levels in 60 rows"),
      refused("phones", "phone", 40, text("+41 44 668 {:02} 00"), "found 40 levels in 40 rows"),
      refused("mail_of_few_persons", "c", 60, one_of({"ada@example.org", "bob@example.com"}),
              "found 2 e-mail addresses"),
      refused("uuids_of_few_persons", "c", 60,
              one_of({"123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174001"}), "or UUIDs"),
      refused(
          "iso_dates", "c", 28, [](int r) { return fmt::format("2021-03-{:02}", r + 1); }, "found 28 different dates"),
      refused("dates_with_slashes", "c", 28, one_of({"03/04/2021", "12/31/2020"}), "dates such as \"03/04/2021\""),
      refused(
          "dates_as_numbers", "c", 28, [](int r) { return std::to_string(20210301 + r); },
          "dates such as \"20210301\""),
      refused("dates_of_sas", "c", 28, one_of({"05Mar2021", "17APR2021"}), "dates such as \"05Mar2021\""),
      refused("dates_in_words", "c", 28, one_of({"\"March 5, 2021\"", "\"Apr 17, 2021\""}), "dates such as"),
      refused("times", "c", 28, one_of({"08:30", "17:05"}), "times of the day such as \"08:30\""),
      refused("numbers_with_a_unit", "c", 40, text("{} kg"),
              "texts such as \"0 kg\", accepted: numbers without a unit"),
      refused("per_cent", "c", 40, text("{}%"), "numbers without a unit"),
      refused("digits_in_groups", "c", 40, text("\"1,{:03},500\""), "digits in groups such as \"1,000,500\""),
      refused("decimal_commas", "c", 40, text("\"{},5\""), "numbers with a comma such as \"0,5\""),
      refused(
          "words_for_missing_values", "c", 40, [](int r) { return r == 7 ? "N/A" : std::to_string(r % 9) + ".5"; },
          "row 9, column c: found no value"),
  };
}

std::vector<CsvCase> layouts() {
  const Cell half = text("{}.5");
  const std::string plain = file_with("c", 30, half), rest = file_with("c", 30, half).substr(12);
  const auto with = [](std::string csv, char separator, char point) {
    for (char& c : csv) c = c == ',' ? separator : c == '.' ? point : c;
    return csv;
  };
  std::string index = "\"\"" + std::string(",") + plain;
  for (std::size_t at = index.find('\n'), r = 1; at + 1 < index.size(); at = index.find('\n', at + 1), ++r)
    index.insert(at + 1, fmt::format("{},", r));
  return {
      {"byte_order_mark", "\xEF\xBB\xBF" + plain, "", "c,dose", 30},
      {"crlf", file_with("c", 30, half, "\r\n"), "", "c,dose", 30},
      {"cr", file_with("c", 30, half, "\r"), "", "c,dose", 30},
      {"no_end_of_the_last_line", plain.substr(0, plain.size() - 1), "", "c,dose", 30},
      {"empty_lines_at_the_end", plain + "\n\n\r\n  \n", "", "c,dose", 30},
      {"quoted_names", "\"c (kg, dry)\",\"dose\",\"sick\"" + plain.substr(11), "", "c (kg, dry),dose", 30},
      {"semicolons_and_commas", with(plain, ';', ','), "", "c,dose", 30},
      {"semicolons_with_a_comma_in_a_name", "\"c, dry\";dose;sick" + with(plain.substr(11), ';', ','), "",
       "c, dry,dose", 30},
      {"semicolons_with_a_bare_comma_in_a_name", "c, dry;dose;sick" + with(plain.substr(11), ';', ','), "",
       "c, dry,dose", 30},
      {"tabs", with(plain, '\t', '.'), "", "c,dose", 30},
      {"many_rows", file_with("c", 100'000, [](int r) { return fmt::format("{}.25", drawn(r, 5000)); }), "", "c,dose",
       100'000},
      {"an_index_without_a_name", index,
       "row 1: found no name for column 1, accepted: a name for each column, or "
       "data.exclude = [\"\"]"},
      {"a_name_twice", "c,c,sick" + plain.substr(11), "row 1: found the column \"c\" twice"},
      {"the_header_again", plain + plain, "row 32: found the header again"},
      {"no_header_of_numbers", "1,2,0\n" + rest, "row 1: found numbers"},
      {"no_header_of_text", "ada,34,no\n" + file_with("ada", 30, some(1, 9)).substr(14),
       "row 1: found the cells of a row"},
      {"latin_1", file_with("c", 30, one_of({"K\xf6ln", "Bonn"})), "row 2, column c: found bytes that are not UTF-8"},
  };
}

class CsvAsFound : public ::testing::TestWithParam<CsvCase> {};

TEST_P(CsvAsFound, IsReadOrSaysWhatIsWrong) {
  const testing::Folder folder;
  const std::string path = folder.write("a.csv", GetParam().text);
  DataSpec spec;
  spec.sources = {path};
  Federation data;
  const std::string said = testing::complaint([&] { data = load_federation(spec, TargetKind::binary, 1, "a.toml"); });
  if (!GetParam().says.empty()) {
    EXPECT_THAT(said, HasSubstr(GetParam().says));
    EXPECT_THAT(said, HasSubstr(path));
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    return;
  }
  ASSERT_EQ(said, "");
  EXPECT_EQ(data.train.rows + data.test.rows, GetParam().rows);
  const std::vector<std::string> names(data.feature_names.begin() + 1, data.feature_names.end());
  const std::string becomes = fmt::format("{}", fmt::join(names, ","));
  EXPECT_EQ(becomes, GetParam().becomes.empty() ? becomes : GetParam().becomes);
}

std::string name_of(const ::testing::TestParamInfo<CsvCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Measures, CsvAsFound, ::testing::ValuesIn(measures()), name_of);
INSTANTIATE_TEST_SUITE_P(Texts, CsvAsFound, ::testing::ValuesIn(texts()), name_of);
INSTANTIATE_TEST_SUITE_P(Identifiers, CsvAsFound, ::testing::ValuesIn(identifiers()), name_of);
INSTANTIATE_TEST_SUITE_P(Layouts, CsvAsFound, ::testing::ValuesIn(layouts()), name_of);

}  // namespace
}  // namespace pollen
