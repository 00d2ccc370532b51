// Results that are made in any order are processed in the order of their places, row by row.
#include "transport/ordered_reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "transport/thread_team.h"

namespace pollen {
namespace {

struct Note {
  std::size_t place = 0;
};

const std::array kRows{PlaceRow{0, 40}, PlaceRow{40, 41}, PlaceRow{41, 41}, PlaceRow{41, 100}};

// Returns what each row has received, in order. One member at a time handles a row, so its list needs no lock.
std::array<std::vector<std::size_t>, kRows.size()> heard(OrderedReduce<Note>& in_turn, const Team& team) {
  std::array<std::vector<std::size_t>, kRows.size()> lists;
  in_turn.run(
      team, kRows, [](std::size_t place, Note& note, int) { note.place = place; },
      [&](std::size_t place, Note& note, int) {
        EXPECT_EQ(note.place, place);
        for (std::size_t r = 0; r < kRows.size(); ++r)
          if (place >= kRows[r].first && place < kRows[r].last) lists[r].push_back(place);
      });
  return lists;
}

void expect_all_in_order(const std::array<std::vector<std::size_t>, kRows.size()>& lists) {
  for (std::size_t r = 0; r < kRows.size(); ++r) {
    ASSERT_EQ(lists[r].size(), kRows[r].size());
    for (std::size_t n = 0; n < lists[r].size(); ++n) EXPECT_EQ(lists[r][n], kRows[r].first + n);
  }
}

TEST(OrderedReduce, EveryRowHearsItsPlacesInOrder) {
  OrderedReduce<Note> in_turn;
  for (const int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    for (int round = 0; round < 50; ++round) expect_all_in_order(heard(in_turn, team.team()));
  }
}

TEST(OrderedReduce, OneAloneNeedsOneResult) {
  OrderedReduce<Note> in_turn;
  const Note* only = nullptr;
  in_turn.run(
      Team{}, kRows, [](std::size_t, Note&, int) {},
      [&](std::size_t, Note& note, int) {
        if (only != nullptr) {
          EXPECT_EQ(&note, only);
        }
        only = &note;
      });
  EXPECT_NE(only, nullptr);
}

// Results that come before their turn wait for the missing one.
TEST(OrderedReduce, WhatComesEarlyWaits) {
  OrderedReduce<Note> in_turn;
  const Team backwards{1, [](Index items, const Team::Work& work) {
                         for (Index item = items; item-- > 0;) work(item, 0);
                       }};
  expect_all_in_order(heard(in_turn, backwards));
}

TEST(OrderedReduce, AnErrorLeavesNothingBehind) {
  OrderedReduce<Note> in_turn;
  ThreadTeam team(3);
  const auto fail_at = [&](bool making) {
    in_turn.run(
        team.team(), kRows,
        [&](std::size_t place, Note& note, int) {
          note.place = place;
          if (making && place == 20) throw std::runtime_error("made");
        },
        [&](std::size_t place, Note&, int) {
          if (!making && place == 20) throw std::runtime_error("taken");
        });
  };
  EXPECT_THROW(fail_at(true), std::runtime_error);
  EXPECT_THROW(fail_at(false), std::runtime_error);
  expect_all_in_order(heard(in_turn, team.team()));
}

}  // namespace
}  // namespace pollen
