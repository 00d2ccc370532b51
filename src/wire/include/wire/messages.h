// The messages of a federation besides broadcasts and replies (docs/formats/wire.md). A client sends Hello, gets
// Welcome or Refusal, describes its data, and from then on receives questions and broadcasts. The functions are
// thread-safe.
//
// Each message lists its fields once, in archive(), for both directions. decode() throws WireError for malformed bytes;
// it checks sizes against the bytes at hand before it allocates memory.
//
//   const Bytes frame = encode(Seat{.weight = 0.25});
//   const auto seat = decode<Seat>(frame);
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

inline constexpr std::uint32_t kProtocol = 6;  // is raised whenever a message changes

// The client's first message.
struct Hello {
  static constexpr Type kType = Type::hello;
  std::uint32_t protocol = kProtocol;
  std::string version = {};    // the program's version, for people to read
  std::string name = {};       // the client's name, if no certificate states it
  std::uint64_t instance = 0;  // identifies the client's state; a second connection with it replaces the first
  std::int64_t part = -1;      // --client I: the part of the configuration's split; -1: the client has its own data
  std::string config = {};     // with --client: the client's configuration, which must agree with the server's
  std::string run = {};        // the run to which the client's state belongs, if any
  bool ready = false;          // this process has completed the set-up of `run`
  bool shared_seed = false;
  void archive(Archive& a) { a.fields(protocol, version, name, instance, part, config, run, ready, shared_seed); }
};

// The server accepts the client.
struct Welcome {
  static constexpr Type kType = Type::welcome;
  std::uint32_t index = 0, clients = 1;
  std::string run;     // identifies the run, to which states and secret seeds belong
  std::string config;  // the configuration with every key written out
  void archive(Archive& a) { a.fields(index, clients, run, config); }
};

// Either side refuses to continue and says why.
struct Refusal {
  static constexpr Type kType = Type::refusal;
  std::string why;
  bool again = false;  // trying later may help
  void archive(Archive& a) { a.fields(why, again); }
};

// The names in a client's own file: its columns, levels and labels. Used if clients have their own data.
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

// A client's sums for standardisation, and to find constant columns.
struct Moments {
  static constexpr Type kType = Type::moments;
  ColumnMoments moments;
  void archive(Archive& a) { a.fields(moments.count, moments.sum, moments.squares, moments.target); }
};

// The columns that all clients leave out, and the means and standard deviations with which they standardise the others.
struct Scaling {
  static constexpr Type kType = Type::scaling;
  ColumnScaling scaling;
  void archive(Archive& a) {
    a.fields(scaling.mean, scaling.sd, scaling.target, scaling.raw_mean, scaling.raw_sd, scaling.dropped,
             scaling.constants);
  }
};

// What a client tells about its data.
struct Site {
  static constexpr Type kType = Type::site;
  SiteFacts facts;
  void archive(Archive& a);
};

// Set-up is over; this is the client's weight among all clients.
struct Seat {
  static constexpr Type kType = Type::seat;
  double weight = 1;
  void archive(Archive& a) { a.fields(weight); }
};

// Says which of the client's replies was the last to be counted: 1 + the iteration at which its turn began, or 0 if
// none was.
struct Acknowledged {
  static constexpr Type kType = Type::acknowledged;
  std::uint64_t counted = 0;
  std::uint64_t updates = 0;  // of the client's CodeMemory, as the server has it
  void archive(Archive& a) { a.fields(counted, updates); }
};

// The state of a ClientView after all broadcasts so far, for a client that has missed some of them.
struct CatchUp {
  static constexpr Type kType = Type::catch_up;
  Bytes view;
  void archive(Archive& a) { a.fields(view); }
};

// A Query in the form in which it is sent to the clients of a federation and to ranks. It owns its panels and says how
// large the answer must be. Query::batch is not sent in a federation, whose clients know it from the configuration.
struct Ask {
  static constexpr Type kType = Type::ask;
  std::uint64_t number = 0;
  std::uint8_t what = 0;  // Query::What
  Panel at, direction;
  std::int64_t rows = 0, columns = 0;  // the size of the answer
  std::uint64_t step = 0;
  static Ask of(const Query& query, ConstPanelView answer);
  Query query(Index batch) const;  // refers to this message's panels; check `what` first
  void archive(Archive& a) { a.fields(number, what, at, direction, rows, columns, step); }
};

// The answer to the Ask of the same number.
struct Answer {
  static constexpr Type kType = Type::answer;
  std::uint64_t number = 0;
  Panel values;
  bool single = false;  // whether the numbers are sent in single precision, in which they must be exact
  void archive(Archive& a);
};

// Kept draws of one chain for clients of a run with --share-draws, one column per draw.
struct Draws {
  static constexpr Type kType = Type::draws;
  std::uint32_t chain = 0;
  std::uint64_t first = 0;  // the number of the first of these draws in its chain
  Panel positions;
  void archive(Archive& a) { a.fields(chain, first, positions); }
};

// The client's first message in rounds of coded messages: the seed of what its code and the server draw. It is no
// secret from the server, and nothing else of the client is drawn from it.
struct CodeSeed {
  static constexpr Type kType = Type::code_seed;
  std::uint64_t seed = 0;
  void archive(Archive& a) { a.fields(seed); }
};

// The run is over.
struct End {
  static constexpr Type kType = Type::end;
  bool complete = true;
  std::string why;
  void archive(Archive& a) { a.fields(complete, why); }
};

// begin() starts a frame in memory that is reused, finish() completes its header, and open() checks the header of a
// frame and returns the body.
Archive begin(Type type, Bytes memory = {});
Bytes finish(Archive& frame);
ByteView open(ByteView frame, Type type);

template <class Message>
Bytes encode(const Message& message) {
  Archive frame = begin(Message::kType);
  const_cast<Message&>(message).archive(frame);  // writing does not change it
  return finish(frame);
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
