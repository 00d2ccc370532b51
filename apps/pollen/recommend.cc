// pollen plan --recommend: what every sampler would take to 1,000 effective draws, and which one is the fastest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "pollen/errors.h"
#include "run/recommendation.h"
#include "sink/report.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) {
  constexpr double kNothing = 5e-5;
  return share < kNothing ? "0 %" : fmt::format("{:.2g} %", 100 * share);
}

std::string named(const SamplerOffer& offer) {
  return offer.variant.empty() ? offer.sampler : fmt::format("{} ({})", offer.sampler, offer.variant);
}

std::string share_text(const SpentTime& time) {
  const TimeShare most = largest_share(time);
  return fmt::format("{:.0f} % {}", 100 * most.seconds / std::max(time.total(), 1e-300), most.name);
}

constexpr const char* kRow = "  {:<27} {:>6} {:>6} {:>9} {:>9} {:>9} {:>13} {:>6}  {}\n";

std::string row_text(const SamplerOffer& offer, std::size_t network, double best) {
  const SpentTime& time = offer.time[network];
  const bool exact = offer.step == 0;
  return fmt::format(kRow, named(offer), exact ? "exact" : percent(offer.sd_off),
                     exact ? "exact" : percent(offer.mean_off), sink::grouped(std::llround(offer.rounds)),
                     sink::human_bits(offer.up_bits), sink::human_bits(offer.down_bits),
                     sink::human_duration(time.total()), fmt::format("{:.1f}", time.total() / best),
                     fmt::format("{}; step: {}", share_text(time), offer.limit));
}

// Why the fastest sampler is faster than the second: what differs most between them.
std::string reasons(const SamplerOffer& best, const SamplerOffer* next, std::size_t network) {
  std::string text =
      fmt::format("  why   {} rounds of {} each ({})", sink::grouped(std::llround(best.rounds)),
                  sink::human_duration(best.time[network].total() / best.rounds), share_text(best.time[network]));
  if (next == nullptr) return text + '\n';
  const SpentTime &mine = best.time[network], &other = next->time[network];
  text += fmt::format("; {} takes {:.2g} times as long, with {:.2g} times the rounds and {:.2g} times the bits",
                      named(*next), other.total() / mine.total(), next->rounds / best.rounds,
                      (next->up_bits + next->down_bits) / (best.up_bits + best.down_bits));
  return text + '\n';
}

std::string table_of(const Recommendation& all, std::size_t network, std::size_t most, const std::string& config) {
  const auto ranked = ranking(all, network);
  const SamplerOffer& best = *ranked.front();
  const double seconds = best.time[network].total();
  std::string text = fmt::format("{}: {}, {} to {:.0f} effective draws\n", all.networks[network], named(best),
                                 sink::human_duration(seconds), all.request.draws);
  text += reasons(best, ranked.size() > 1 ? ranked[1] : nullptr, network);
  text += fmt::format("  run   pollen run{}{}", config.empty() ? "" : " ", config);
  for (const std::string& setting : best.settings) text += " --set " + setting;
  text += '\n';
  if (!best.without.empty())
    text += fmt::format("        after taking {} out of {}, which {} for its own sampler\n",
                        fmt::join(best.without, ", "), config, best.without.size() == 1 ? "is" : "are");
  text += '\n';
  text += fmt::format(kRow, "sampler", "sd off", "mean", "rounds", "up", "down", "time", "times", "most of the time");
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) text += row_text(*ranked[i], network, seconds);
  return text + '\n';
}

std::string text_of(const Recommendation& all, const std::string& config) {
  constexpr std::size_t kFirst = 5;  // of every preset, where no network was named
  const bool one = all.networks.size() == 1;
  std::string text = fmt::format(
      "The fastest sampler to {:.0f} effective draws of the slowest parameter whose sds and means are within {:.3g} % "
      "of a posterior sd, by forecasts at the mode. The burn-in is included, set-up is not; bits are of all "
      "clients.\n\n",
      all.request.draws, 100 * all.request.within);
  for (std::size_t n = 0; n < all.networks.size(); ++n)
    text += table_of(all, n, one ? all.offers.size() : kFirst, config);
  if (!one)
    text += fmt::format(
        "There is no section [network], so that these are its presets, with the first {}; --set "
        "network.preset=NAME shows all samplers.\n",
        kFirst);
  if (std::ranges::any_of(
          all.offers, [](const SamplerOffer& o) { return o.sampler == "lsd" && o.limit.starts_with("the curvature"); }))
    text +=
        "Steps are limited by a curvature that is larger far from the mode. What is said of exact samplers, which were "
        "rehearsed with the curvature at the mode, is then a lower bound and may be many times too low.\n";
  if (!all.left_out.empty()) text += "left out\n";
  for (const LeftOut& out : all.left_out) text += fmt::format("  {:<10} {}\n", out.sampler, out.why);
  return text;
}

Json offer_json(const SamplerOffer& offer, const Recommendation& all, std::size_t network) {
  const SpentTime& time = offer.time[network];
  const double draws = all.request.draws;
  return {{"sampler", offer.sampler},
          {"settings", offer.settings},
          {"without", offer.without},
          {"step", offer.step > 0 ? Json(offer.step) : Json(nullptr)},
          {"sd_off", offer.sd_off},
          {"mean_off", offer.mean_off},
          {"step_limit", offer.limit},
          {"iterations", offer.iterations},
          {"burn_in", offer.burn_in},
          {"seconds", time.total()},
          {"most_of_the_time", largest_share(time).name},
          {"spent",
           {{"waiting", time.waiting},
            {"latency", time.latency},
            {"bits", time.bits},
            {"computing", time.computing},
            {"server", time.server}}},
          {"per_effective_draw",
           {{"seconds", time.total() / draws},
            {"rounds", offer.rounds / draws},
            {"uplink_bits", offer.up_bits / draws},
            {"downlink_bits", offer.down_bits / draws}}}};
}

std::string json_of(const Recommendation& all) {
  Json json{{"within", all.request.within}, {"draws", all.request.draws}, {"networks", Json::array()}};
  for (std::size_t n = 0; n < all.networks.size(); ++n) {
    const auto ranked = ranking(all, n);
    Json offers = Json::array();
    for (const SamplerOffer* offer : ranked) offers.push_back(offer_json(*offer, all, n));
    json["networks"].push_back(
        {{"network", all.networks[n]}, {"recommended", ranked.front()->sampler}, {"samplers", offers}});
  }
  json["left_out"] = Json::array();
  for (const LeftOut& out : all.left_out) json["left_out"].push_back({{"sampler", out.sampler}, {"why", out.why}});
  return json.dump(2) + '\n';
}

}  // namespace

int recommend_command(const PlanOptions& options) {
  const Config config =
      options.config.empty() ? read_builtin_config(options.set) : read_config_file(options.config, options.set);
  for (const auto& [option, given] : {std::pair("--precision", options.precision.has_value()),
                                      {"--round-price", options.round_price.has_value()},
                                      {"--exact", options.exact}})
    if (given) throw ConfigError(option, "found with --recommend, accepted: one of the two");
  constexpr double kUsual = 3;
  const Recommendation all = recommend(config, {.within = options.within.value_or(kUsual) / 100});
  if (all.offers.empty()) {
    std::string why;
    for (const LeftOut& out : all.left_out) why += fmt::format("\n  {:<10} {}", out.sampler, out.why);
    throw ConfigError(config.file, "no sampler has a forecast that keeps the bias" + why);
  }
  print(options.json ? json_of(all) : text_of(all, options.config));
  return kDone;
}

}  // namespace pollen::app
