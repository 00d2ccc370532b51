// The words of columns' names, by which a site's policy refuses columns and a key is recognised. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pollen {

// Words in the names of columns whose cells identify a person.
const std::vector<std::string>& identifying_words();

// Returns the words of a column's name, in small letters: "PatientID", "patient-id" and "patient_id2" have the words
// patient and id. Borders are everything that is neither a letter nor a digit, changes between letters and digits, and
// capital letters that begin a word.
std::vector<std::string> words_of(const std::string& name);

// Returns the entry of `denied` whose words stand in the name one after another, if there is one. A word is also found
// where it is written together with others that go with it, as in "patientid", "zipcode" and "dateofbirth".
std::optional<std::string> denied_word(const std::string& name, const std::vector<std::string>& denied);

}  // namespace pollen
