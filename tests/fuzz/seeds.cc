// fuzz_seeds FOLDER writes the seeds of the targets with binary input to FOLDER/<target>/.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "data/store.h"
#include "data/store_layout.h"
#include "pollen/compress.h"
#include "sink/checkpoint.h"
#include "support/gzip.h"
#include "wire/messages.h"
#include "wire/wire.h"

namespace pollen::fuzz {
namespace {

using testing::gzipped;

std::filesystem::path folder;

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

void put(const std::string& target, const std::string& name, const std::string& content) {
  std::filesystem::create_directories(folder / target);
  std::ofstream(folder / target / name, std::ios::binary) << content;
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
  return out;
}

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int i = 3; i >= 0; --i) out += static_cast<char>(value >> 8 * i);
  return out;
}

// Writes the options as compress_fuzz reads them: the kind and flags, d - 1, the parameter.
void compress_seed(const std::string& name, CompressorSpec spec, int flags, unsigned parameter,
                   const std::vector<double>& v) {
  const auto d = static_cast<Index>(v.size());
  const auto compressor = make_compressor(spec, d);
  Bytes payload;
  std::vector<double> decoded(v.size());
  Scratch scratch;
  compressor->encode(v, make_stream(1, 0, Purpose{}), decoded, &payload, scratch);
  put("compress", name,
      static_cast<char>(flags) + little_endian(static_cast<std::uint64_t>(d - 1), 2) + little_endian(parameter, 2) +
          text_of(payload));
}

void compress_seeds() {
  std::vector<double> v(40);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = std::sin(static_cast<double>(j * j)) * 3;
  std::vector<double> thin(300, 0.0);
  thin[7] = 2, thin[200] = -1;
  const std::vector<double> small = {3, -4};
  const std::vector<double> zeros(9, 0.0);
  compress_seed("identity-64", {.kind = "identity"}, 0, 0, small);
  compress_seed("identity-32", {.kind = "identity", .bits = 32}, 8, 0, v);
  compress_seed("qsgd-5", {.kind = "qsgd", .levels = 5}, 1, 2, small);
  compress_seed("qsgd-16-dense", {.kind = "qsgd", .levels = 16}, 1, 3, v);
  compress_seed("qsgd-16-sparse", {.kind = "qsgd", .levels = 16}, 1, 3, thin);
  compress_seed("qsgd-2e24", {.kind = "qsgd", .levels = 1U << 24}, 1, 7, v);
  compress_seed("qsgd-1-zero", {.kind = "qsgd", .levels = 1}, 1, 0, zeros);
  compress_seed("qsgd-16-scaled", {.kind = "qsgd", .levels = 16, .scaled = true}, 1 + 16, 3, v);
  compress_seed("top-4", {.kind = "top-k", .k = 4}, 2, 3, v);
  compress_seed("top-2-of-300-32", {.kind = "top-k", .bits = 32, .k = 2}, 2 + 8, 1, thin);
  compress_seed("rand-5", {.kind = "rand-k", .k = 5}, 3, 4, v);
  compress_seed("rand-40-all-32", {.kind = "rand-k", .bits = 32, .k = 40}, 3 + 8, 39, v);
  compress_seed("natural", {.kind = "natural"}, 4, 0, v);
  compress_seed("natural-zero", {.kind = "natural"}, 4, 0, zeros);
  put("compress", "empty", "");
  put("compress", "encode-qsgd",
      std::string{1 + 32} + little_endian(39, 2) + little_endian(3, 2) +
          std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(double)));
  put("compress", "encode-natural-not-finite",
      std::string{4 + 32} + little_endian(3, 2) + little_endian(0, 2) + little_endian(0x7ff0000000000000, 8));
}

// Writes messages of two vectors as coded_fuzz reads them: d - 1, parts - 1, the memory, the kind and flags.
void joined_seed(const std::string& name, const CompressorSpec& spec, int flags, const std::vector<double>& v) {
  const auto compressor = make_compressor(spec, std::ssize(v));
  std::vector<double> first(v.size()), second(v.size());
  Bytes payload;
  std::vector<Encoding> parts{{v, make_stream(3, 0, Purpose::shared_code), first, &payload},
                              {v, make_stream(3, 1, Purpose::shared_code), second, &payload}};
  for (Encoding& part : parts) part.spread = 0.5;
  Scratch scratch;
  compressor->encode_joined(parts, {}, Compressor::Role::message, &payload, scratch);
  put("coded", name,
      little_endian(v.size() - 1, 2) + '\1' + std::string(5, '\0') + static_cast<char>(flags) + text_of(payload));
}

void joined_seeds() {
  std::vector<double> v(40), thin(150, 0.0);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = std::sin(static_cast<double>(j * j)) * 3;
  thin[7] = 2, thin[140] = -1;
  joined_seed("qsgd-16-range", {.kind = "qsgd", .levels = 16}, 1 << 4 | 1 << 1, v);
  joined_seed("qsgd-16-elias", {.kind = "qsgd", .levels = 16}, 1 << 4 | 1 << 1, thin);
  joined_seed("qsgd-2e24", {.kind = "qsgd", .levels = 1U << 24}, 3 << 4 | 1 << 1, v);
  joined_seed("natural", {.kind = "natural"}, 2 << 1, v);
  joined_seed("top-14", {.kind = "top-k", .k = 14}, 3 << 1, v);
}

void wire_seeds() {
  const auto seed = [](const std::string& name, const Bytes& frame) { put("wire", name, text_of(frame)); };
  Bytes frame;
  Broadcast broadcast;
  broadcast.round = 17;
  broadcast.offset = {0, 8, 16};
  broadcast.payload = Bytes(16, 0x3f);
  const std::vector<std::uint32_t> both = {0, 1}, second = {1}, none;
  wire::encode(broadcast, both, frame);
  seed("broadcast-two-chains", frame);
  broadcast.refresh = true, broadcast.whole = false;
  wire::encode(broadcast, second, frame);
  seed("broadcast-refresh", frame);
  wire::encode(broadcast, none, frame);
  seed("broadcast-nobody", frame);
  broadcast = {};
  broadcast.segment = {40, 5, false, false};
  broadcast.offset = {0, 0};
  broadcast.control = Bytes(16, 0x40);
  broadcast.step = {0.1, 2, 3};
  wire::encode(broadcast, none, frame);
  seed("broadcast-segment", frame);
  Reply reply;
  reply.round = 17, reply.client = 3, reply.gradients = 120;
  reply.chains = {0, 2, 5};
  reply.offset = {0, 4, 4, 11};
  reply.payload = Bytes(11, 0xa5);
  wire::encode(reply, frame);
  seed("reply-three-parts", frame);
  frame.pop_back();
  put("wire", "reply-cut", text_of(frame));
  reply.joined = reply.refreshes = true, reply.code.updates = 200, reply.reference_bytes = 3;
  reply.offset = {0, 11, 11, 11};
  reply.payload.resize(11, 1);
  wire::encode(reply, frame);
  seed("reply-coded", frame);
  broadcast.present = {7};
  const std::vector<std::uint32_t> first = {0};
  wire::encode(broadcast, first, frame, std::vector<double>{2.5});
  seed("broadcast-weights", frame);
  reply = {};
  reply.silent = true, reply.first = 40;
  reply.chains = {0, 2};
  reply.offset = {0};
  wire::encode(reply, frame);
  seed("reply-silent", frame);
  reply = {};
  reply.whole = true;
  reply.offset = {0};
  wire::encode(reply, frame);
  seed("reply-empty", frame);
  put("wire", "header-alone", text_of(Bytes(frame.begin(), frame.begin() + wire::kFrameHeader)));
  put("wire", "empty", "");
}

template <class Message>
void message_seed(const std::string& name, const Message& message) {
  put("messages", name, text_of(wire::encode(message)));
}

void messages_seeds() {
  wire::Columns columns;
  columns.facts = {{"x", "y"}, "t", {{"t", {"no", "yes"}}, {"x", {"a"}}}, 0};
  Panel panel(2, 3);
  panel.column(1)[0] = 2.5;
  message_seed("hello", wire::Hello{wire::kProtocol, "0.1", "c0", 7, 0, "seed = 1", "run", true, false});
  message_seed("welcome", wire::Welcome{1, 3, "run", "seed = 1"});
  message_seed("refusal", wire::Refusal{"no", true});
  message_seed("columns", columns);
  message_seed("layout", wire::Layout{columns.facts});
  message_seed("moments", wire::Moments{{5, {1, 2}, {3, 4}}});
  message_seed("scaling", wire::Scaling{{{1, 2}, {3, 4}, {5, 6}, {0}, {7}, {8, 9}, {1, 2}}});
  message_seed("site", wire::Site{{3, 2, {"x", "y"}, {"no", "yes"}, 17, true, {{1, 2}, {3, 4}, {5, 6}}}});
  message_seed("seat", wire::Seat{0.25});
  message_seed("acknowledged", wire::Acknowledged{9});
  message_seed("catch_up", wire::CatchUp{Bytes(24, 1)});
  message_seed("ask", wire::Ask{3, 1, panel, panel, 2, 3});
  message_seed("answer", wire::Answer{3, panel});
  message_seed("answer_single", wire::Answer{3, panel, true});
  message_seed("draws", wire::Draws{1, 100, panel});
  message_seed("end", wire::End{true, "done"});
  put("messages", "empty", "");
}

// Writes a whole conversation as handshake_fuzz reads it: the sampler, then frames, each after its length.
void handshake_seed(const std::string& name, char sampler, const std::vector<Bytes>& frames) {
  std::string all{sampler};
  for (const Bytes& frame : frames) all += little_endian(frame.size(), 2) + text_of(frame);
  put("handshake", name, all);
}

void handshake_seeds() {
  const std::vector<Bytes> set_up{wire::encode(wire::Welcome{0, 2, "run", ""}), wire::encode(wire::Seat{0.5}),
                                  wire::encode(wire::Acknowledged{0})};
  Broadcast broadcast;
  broadcast.step.size = 0.1;
  broadcast.offset = {0, 16};
  broadcast.payload = Bytes(16, 0);
  const std::vector<std::uint32_t> chains = {0};
  std::vector<Bytes> gradient = set_up, local = set_up, asked = set_up;
  Bytes frame;
  wire::encode(broadcast, chains, frame);
  gradient.insert(gradient.end(), {frame, wire::encode(wire::Acknowledged{1})});
  broadcast.round = 1;
  wire::encode(broadcast, chains, frame);
  gradient.insert(gradient.end(), {frame, wire::encode(wire::End{true, "done"})});
  broadcast.round = 0;
  broadcast.segment = {0, 3, true, true};
  wire::encode(broadcast, chains, frame);
  local.push_back(frame);
  for (std::uint8_t what = 0; what < 9; ++what)
    asked.push_back(
        wire::encode(wire::Ask{what, what, Panel(2, 1), Panel(2, 1), what == 0 ? 1 : 2, what == 5 ? 2 : 1}));
  for (char sampler = 0; sampler < 4; ++sampler) {
    const std::string number(1, static_cast<char>('0' + sampler));
    handshake_seed("gradient-" + number, sampler, gradient);
    handshake_seed("local-" + number, sampler, local);
    handshake_seed("asked-" + number, sampler, asked);
  }
  handshake_seed("refused", 0, {wire::encode(wire::Refusal{"no", false})});
  // A client with a file of its own, from its columns to a question and a round, and a server that begins again.
  const auto study = [](const char* more) {
    return fmt::format(
        "[model]\nkind = \"logistic\"\n[sampler]\nname = \"lsd\"\nstep = 0.01\n[run]\niterations = 9\nchains = "
        "1\ncoupled = true\n[data]\n{}",
        more);
  };
  const auto welcome = [&](const char* run, const char* more) {
    return wire::encode(wire::Welcome{0, 2, run, study(more)});
  };
  const ColumnFacts facts{{"x", "colour"}, "t", {{"colour", {"blue", "red"}}, {"t", {"no", "yes"}}}};
  Broadcast round;
  round.step.size = 0.01;
  round.whole = round.segment.starts = round.segment.ends = true;
  round.offset = {0, 24};
  round.payload = Bytes(24, 0);
  wire::encode(round, chains, frame);
  const std::vector<Bytes> own{welcome("one", ""),
                               wire::encode(wire::Layout{facts}),
                               wire::encode(wire::Scaling{{{0, 0}, {1, 1}}}),
                               wire::encode(wire::Seat{0.5}),
                               wire::encode(wire::Ask{1, 1, Panel(3, 1), {}, 3, 1}),
                               frame,
                               welcome("two", ""),
                               welcome("three", "limit = 5\n")};
  for (const char sampler : {char{4}, char{5}})
    handshake_seed(fmt::format("own-{}", static_cast<int>(sampler)), sampler, own);
}

void idx_seed(const std::string& name, const std::string& images, const std::string& labels) {
  put("idx", name, '2' + little_endian(images.size(), 2) + images + labels);
}

void idx_seeds() {
  const std::string bytes3{0, 0, 8, 3}, bytes1{0, 0, 8, 1}, bytes2{0, 0, 8, 2}, ints2{0, 0, 12, 2}, ints1{0, 0, 12, 1};
  const std::string images = bytes3 + big_endian(3) + big_endian(2) + big_endian(2) + "abcdefghijkl";
  const std::string labels = bytes1 + big_endian(3) + std::string{1, 0, 2};
  idx_seed("bytes", images, labels);
  idx_seed("ints", ints2 + big_endian(2) + big_endian(1) + big_endian(70000) + big_endian(0x80000000),
           ints1 + big_endian(2) + big_endian(4) + big_endian(5));
  idx_seed("two-label-columns", images, bytes2 + big_endian(3) + big_endian(2) + std::string{1, 0, 2, 3, 4, 5});
  idx_seed("cut", images.substr(0, images.size() - 1), labels);
  idx_seed("count-mismatch", images, bytes1 + big_endian(2) + std::string{1, 0});
  idx_seed("huge-sizes", bytes3 + big_endian(0xffffffff) + big_endian(0xffffffff) + big_endian(2), labels);
  const std::string record = std::string{7} + std::string(3072, '\x40');
  put("idx", "cifar", '0' + record);
  put("idx", "cifar-label-10", '0' + std::string{10} + std::string(3072, '\0'));
  put("idx", "cifar-cut", '0' + std::string{1, 2, 3});
  const std::string gz = gzipped("x,y\n1,2\n3,4\n");
  put("idx", "gzip", '1' + gz);
  put("idx", "gzip-two-members", '1' + gz + gz);
  put("idx", "gzip-cut", '1' + gz.substr(0, gz.size() - 5));
  put("idx", "gzip-padded", '1' + gz + std::string(20, '\0'));
  put("idx", "gzip-bomb", '1' + gzipped(std::string(2'000'000, 'a')));
  put("idx", "no-gzip", "1plain");
}

void checkpoint_seeds() {
  sink::Checkpoint checkpoint;
  checkpoint.config_given = "seed = 1\n";
  checkpoint.config_used = "seed = 1\n[run]\nchains = 2\n";
  checkpoint.draws = 12, checkpoint.metrics_bytes = 345, checkpoint.seconds = 1.5;
  checkpoint.recorder = "state of the recorder";
  checkpoint.experiment = Bytes(40, 0x11);
  const auto write = [&](const std::string& name) {
    std::filesystem::create_directories(folder / "checkpoint");
    const std::string at = (folder / "checkpoint" / name).string();
    sink::write_checkpoint(at, checkpoint);
    std::ifstream in(at, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    in.close();
    put("checkpoint", name, '1' + text);
    put("checkpoint", name + "-cut", '0' + text.substr(0, text.size() - 7));
  };
  write("running");
  checkpoint.finished = true;
  checkpoint.experiment.clear();
  checkpoint.recorder.clear();
  write("finished");
  put("checkpoint", "empty", "0");
}

// Writes a store as store_fuzz reads it: flags, then the file, with its sections moved together so that it is short.
std::string packed(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const Bytes whole{std::istreambuf_iterator<char>(in), {}};
  data::StoreHeader header = data::decode_header(ByteView(whole).first(data::kStorePage), whole.size(), file);
  Bytes out(data::kStorePage);
  for (data::Section& s : header.sections) {
    const ByteView part = ByteView(whole).subspan(s.offset, s.bytes);
    s.offset = out.size();
    out.insert(out.end(), part.begin(), part.end());
    out.resize((out.size() + 63) / 64 * 64);
  }
  header.file_bytes = out.size();
  const Bytes page = data::encode_header(header);
  std::copy(page.begin(), page.end(), out.begin());
  return text_of(out);
}

void store_seeds() {
  std::filesystem::create_directories(folder / "store");
  const std::string csv = (folder / "store" / "a.csv").string(), file = (folder / "store" / "a.pollen").string();
  std::ofstream(csv) << "s,x,c,y\nn,1,u,0\ns,2,v,1\ns,3,w,0\nn,6,u,1\nn,4,v,0\n";
  const auto seed = [&](const std::string& name, DataSpec spec, TargetKind target) {
    spec.sources = {csv};
    convert_to_store({spec, target, 1, "", "[data]\n"}, file);
    const char flags = static_cast<char>(static_cast<int>(target) << 1);
    put("store", name, flags + packed(file));
    put("store", name + "-mended", static_cast<char>(flags | 1) + packed(file));
  };
  DataSpec by_column, drawn;
  by_column.partition = "by-column", by_column.column = "s";
  drawn.clients = 2, drawn.categorical = {"x"}, drawn.ood_source = csv;
  seed("by-column", by_column, TargetKind::binary);
  seed("drawn", drawn, TargetKind::classes);
  seed("counts", by_column, TargetKind::count);
  drawn.ood_source.clear(), drawn.test_fraction = 0;
  seed("numbers", drawn, TargetKind::real);
  std::filesystem::remove(csv), std::filesystem::remove(file);
  put("store", "empty", "");
}

}  // namespace
}  // namespace pollen::fuzz

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  pollen::fuzz::folder = argv[1];
  pollen::fuzz::compress_seeds();
  pollen::fuzz::joined_seeds();
  pollen::fuzz::wire_seeds();
  pollen::fuzz::messages_seeds();
  pollen::fuzz::handshake_seeds();
  pollen::fuzz::idx_seeds();
  pollen::fuzz::checkpoint_seeds();
  pollen::fuzz::store_seeds();
  return 0;
}
