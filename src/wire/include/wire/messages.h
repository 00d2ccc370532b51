// What server and clients of a federation say to each other besides broadcasts and replies (docs/formats/wire.md).
//
// A client says hello, is welcomed or refused, says what its data look like, and is asked questions and sent broadcasts
// from then on. Each message lists its fields once, in archive(), for both directions; decode() throws WireError for
// anything odd. Sizes are checked against what is there before memory is taken.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pollen/archive.h"
#include "pollen/data.h"
#include "pollen/transport.h"
#include "wire/wire.h"

namespace pollen::wire {

inline constexpr std::uint32_t kProtocol = 2;  // raised where messages change

// From the client, first of all.
struct Hello {
  static constexpr Type kType = Type::hello;
  std::uint32_t protocol = kProtocol;
  std::string version;         // of the program, for people
  std::string name;            // where no certificate says it
  std::uint64_t instance = 0;  // of the client's state: a second connection of the same one replaces the first
  std::int64_t part = -1;      // --client I: which part of the configuration's own split; -1: its own data
  std::string config;          // with --client: its configuration, to be compared
  std::string run;             // the run its state belongs to, if any
  bool ready = false;          // this process has been through the set-up of `run`
  bool shared_seed = false;
  void archive(Archive& a);
};

struct Welcome {
  static constexpr Type kType = Type::welcome;
  std::uint32_t index = 0, clients = 1;
  std::string run;     // names this run: states and secret seeds are its own
  std::string config;  // every key written out
  void archive(Archive& a);
};

// Either side: why it will not go on.
struct Refusal {
  static constexpr Type kType = Type::refusal;
  std::string why;
  bool again = false;  // worth trying later
  void archive(Archive& a);
};

// A client's own file, in names: set-up of an own-data federation.
struct Columns {
  static constexpr Type kType = Type::columns;
  ColumnFacts facts;
  void archive(Archive& a);
};

// The columns and levels of all clients together.
struct Layout {
  static constexpr Type kType = Type::layout;
  ColumnFacts facts;
  void archive(Archive& a);
};

struct Moments {
  static constexpr Type kType = Type::moments;
  ColumnMoments moments;
  void archive(Archive& a);
};

struct Scaling {
  static constexpr Type kType = Type::scaling;
  ColumnScaling scaling;
  void archive(Archive& a);
};

struct Site {
  static constexpr Type kType = Type::site;
  SiteFacts facts;
  void archive(Archive& a);
};

// Set-up is over: the client's weight among all.
struct Seat {
  static constexpr Type kType = Type::seat;
  double weight = 1;
  void archive(Archive& a);
};

// What "auto" picked.
struct Settings {
  static constexpr Type kType = Type::settings;
  double step = 0, smoothness = 0, convexity = 0;
  void archive(Archive& a);
};

// Which of this client's replies was the last one counted: 1 + the iteration its turn began at; 0: none.
struct Acknowledged {
  static constexpr Type kType = Type::acknowledged;
  std::uint64_t counted = 0;
  void archive(Archive& a);
};

// What the broadcasts so far have said, for a client that has missed some: the state of a ClientView.
struct CatchUp {
  static constexpr Type kType = Type::catch_up;
  Bytes view;
  void archive(Archive& a);
};

// A Query as it travels, to the clients of a federation and to ranks: it owns its panels and says how large the answer
// must be. Query::batch does not travel in a federation, whose clients know it from the configuration.
struct Ask {
  static constexpr Type kType = Type::ask;
  std::uint64_t number = 0;
  std::uint8_t what = 0;  // Query::What
  Panel at, direction;
  std::int64_t rows = 0, columns = 0;  // of the answer
  std::uint64_t step = 0;
  static Ask of(const Query& query, ConstPanelView answer);
  Query query(Index batch) const;  // refers to the panels of this message; `what` must have been checked
  void archive(Archive& a);
};

// The answer to the question of the same number.
struct Answer {
  static constexpr Type kType = Type::answer;
  std::uint64_t number = 0;
  Panel values;
  void archive(Archive& a);
};

// --share-draws: kept positions, a column each.
struct Draws {
  static constexpr Type kType = Type::draws;
  std::uint32_t chain = 0;
  std::uint64_t first = 0;  // of these draws in their chain
  Panel positions;
  void archive(Archive& a);
};

struct End {
  static constexpr Type kType = Type::end;
  bool complete = true;
  std::string why;
  void archive(Archive& a);
};

// Header and body. `message` is not changed by writing.
void seal(Type type, const Bytes& body, Bytes& out);
ByteView open(ByteView frame, Type type);  // the body

template <class Message>
Bytes encode(const Message& message) {
  Archive archive;
  const_cast<Message&>(message).archive(archive);
  Bytes out;
  seal(Message::kType, archive.take(), out);
  return out;
}

template <class Message>
Message decode(ByteView frame) {
  Archive archive(open(frame, Message::kType));
  Message message;
  message.archive(archive);
  archive.finish();
  return message;
}

}  // namespace pollen::wire
