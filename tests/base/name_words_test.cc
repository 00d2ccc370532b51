// Tests how the words of a column's name are found, by which deny_columns go.
#include "base/name_words.h"

#include <gtest/gtest.h>

namespace pollen {
namespace {

using Words = std::vector<std::string>;

TEST(Names, FallIntoWords) {
  EXPECT_EQ(words_of("patient_id"), (Words{"patient", "id"}));
  EXPECT_EQ(words_of("patientID"), (Words{"patient", "id"}));
  EXPECT_EQ(words_of("IDNumber"), (Words{"id", "number"}));
  EXPECT_EQ(words_of("Patient-Id2"), (Words{"patient", "id", "2"}));
  EXPECT_EQ(words_of("date of  birth"), (Words{"date", "of", "birth"}));
  EXPECT_EQ(words_of("DOB"), Words{"dob"});
  EXPECT_EQ(words_of("größe.cm"), (Words{"größe", "cm"}));
  EXPECT_EQ(words_of("__"), Words{});
  EXPECT_EQ(words_of(""), Words{});
}

TEST(Names, OnlyWholeWordsAreDenied) {
  const Words& denied = identifying_words();
  for (const char* name :
       {"id",        "ID",        "patient_id",     "patientId", "PatientID", "id2",      "mrn-old",  "SSN",
        "last name", "birthDate", "admission.date", "dob",       "zip",       "zip_code", "Postcode", "PLZ",
        "2nd_name",  "patientid", "PATIENTID",      "zipcode",   "birthdate", "lastname", "surname",  "dateofbirth"})
    EXPECT_TRUE(denied_word(name, denied)) << name;
  for (const char* name : {"lipid", "covid", "idle", "valid", "update", "candidate", "rename", "zipper", "age", "names",
                           "birthweight", "postcodes", "dobutamine", "mid", "grid", "patient", "userbase"})
    EXPECT_FALSE(denied_word(name, denied)) << name << " has " << *denied_word(name, denied);
}

TEST(Names, AnEntryMayHaveSeveralWords) {
  const Words denied = {"maiden-name"};
  EXPECT_EQ(denied_word("mothersMaidenName", denied), "maiden-name");
  EXPECT_FALSE(denied_word("name_maiden", denied));
}

}  // namespace
}  // namespace pollen
