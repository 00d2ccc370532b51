#include "problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>

namespace pollen::laws {

using stats::QuadraticClient;
using stats::QuadraticProblem;
using stats::QuadraticTerm;
using Rows = std::vector<std::vector<double>>;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pollen-laws-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

namespace {

Eigen::VectorXd vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Eigen::VectorXd precision_of(const std::vector<double>& sd) { return vector(sd).array().square().inverse(); }

std::string heading(const char* kind, const std::vector<double>& prior_sd) {
  return fmt::format("[model]\nkind = \"{}\"\nprior_sd = [{}]\n", kind, fmt::join(prior_sd, ", "));
}

std::string listed(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{}[{}]", text.empty() ? "" : ", ", fmt::join(row, ", "));
  return fmt::format("[{}]", text);
}

}  // namespace

Problem matrices() {
  struct Client {
    std::vector<double> mean;
    Rows precision;
  };
  const std::vector<Client> clients = {
      {{1.0, -2.0, 0.5}, {{2.0, 0.3, 0.1}, {0.3, 1.5, -0.2}, {0.1, -0.2, 1.0}}},
      {{0.0, 2.0, -1.0}, {{1.0, 0.0, 0.2}, {0.0, 3.0, 0.4}, {0.2, 0.4, 1.2}}},
      {{-2.0, 0.5, 1.5}, {{0.8, 0.1, 0.0}, {0.1, 0.7, -0.1}, {0.0, -0.1, 1.6}}},
  };
  const std::vector<double> prior_sd = {1.0, 2.0, 0.8};
  Problem problem{heading("gaussian", prior_sd), {}, nullptr};
  problem.exact.prior_precision = precision_of(prior_sd);
  for (const Client& client : clients) {
    problem.text += fmt::format("[[client]]\nmean = [{}]\nprecision = {}\n", fmt::join(client.mean, ", "),
                                listed(client.precision));
    Eigen::MatrixXd curvature(3, 3);
    for (Eigen::Index r = 0; r < 3; ++r) curvature.row(r) = vector(client.precision[static_cast<std::size_t>(r)]);
    problem.exact.clients.push_back({{{curvature, curvature * vector(client.mean)}}});
  }
  return problem;
}

Problem points() {
  const std::vector<Rows> clients = {{{1.0, -2.0}, {3.0, 0.5}, {-0.5, 1.0}, {2.0, -1.5}},
                                     {{-1.0, 2.0}, {0.5, 4.0}, {-3.0, 1.0}},
                                     {{0.0, 0.5}, {2.5, -3.0}}};
  const std::vector<double> prior_sd = {0.7, 1.5};
  Problem problem{heading("gaussian", prior_sd), {}, nullptr};
  problem.exact.prior_precision = precision_of(prior_sd);
  for (const Rows& rows : clients) {
    problem.text += fmt::format("[[client]]\ndata = {}\n", listed(rows));
    problem.exact.clients.emplace_back();
    for (const auto& row : rows)
      problem.exact.clients.back().terms.push_back({Eigen::MatrixXd::Identity(2, 2), vector(row)});
  }
  return problem;
}

namespace {

// Returns a linear regression with known noise sd. A client's rows are x1, x2, y.
Problem linear(const std::vector<Rows>& clients, const std::vector<double>& prior_sd, double noise_sd) {
  Problem problem{
      heading("linear", prior_sd) + fmt::format("noise_sd = {}\n", noise_sd), {}, std::make_shared<Folder>()};
  problem.exact.prior_precision = precision_of(prior_sd);
  std::vector<std::string> paths;
  for (const Rows& rows : clients) {
    std::string table = "x1,x2,y\n";
    problem.exact.clients.emplace_back();
    for (const auto& row : rows) {
      table += fmt::format("{}\n", fmt::join(row, ","));
      const Eigen::VectorXd x = vector({row[0], row[1]}) / noise_sd;
      problem.exact.clients.back().terms.push_back({x * x.transpose(), x * (row[2] / noise_sd)});
    }
    paths.push_back(fmt::format("'{}'", problem.files->write(fmt::format("client{}.csv", paths.size()), table)));
  }
  problem.text += fmt::format(
      "[data]\nsource = [{}]\npartition = \"given\"\ntarget = \"y\"\nstandardize = false\nintercept = false\n"
      "test_fraction = 0.0\n",
      fmt::join(paths, ", "));
  return problem;
}

}  // namespace

Problem regression() {
  return linear({{{1.2, 0.3, 1.0}, {-0.4, 0.9, -1.5}, {0.7, -1.1, 2.0}, {0.2, 0.4, 0.3}},
                 {{0.9, 0.8, -0.5}, {-1.3, 0.2, 1.1}, {0.1, -0.6, 0.8}},
                 {{1.1, -0.5, 2.2}, {0.3, 1.2, -2.0}, {-0.2, 0.1, 0.4}}},
                {1.0, 0.6}, 0.8);
}

Problem lopsided() {
  return linear({{{1.6, 0.2, 1.0}, {-1.2, 0.1, 1.5}, {1.4, -0.3, 2.0}, {-0.9, 0.0, 0.3}},
                 {{0.1, 1.3, -0.5}, {-0.2, 1.5, 1.1}},
                 {{0.5, -0.6, 2.2}}},
                {2.0, 3.0}, 0.9);
}

Problem alone() {
  return linear({{{1.6, 0.2, 1.0}, {-1.2, 0.5, 1.5}, {0.4, -1.3, 2.0}, {-0.9, 0.6, 0.3}, {0.1, 0.8, -1.0}}}, {2.0, 3.0},
                0.9);
}

QuadraticProblem prior_on_clients(QuadraticProblem problem) {
  for (QuadraticClient& client : problem.clients) {
    const auto parts = static_cast<double>(problem.clients.size() * client.terms.size());
    for (QuadraticTerm& term : client.terms) term.curvature.diagonal() += problem.prior_precision / parts;
  }
  problem.prior_precision.setZero();
  return problem;
}

QuadraticProblem with_prior_times(double factor, QuadraticProblem problem) {
  problem.prior_precision *= factor;
  return problem;
}

QuadraticProblem with_clients_times(const std::vector<double>& factors, QuadraticProblem problem) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (QuadraticTerm& term : problem.clients[i].terms) {
      term.curvature *= factors[i];
      term.shift *= factors[i];
    }
  }
  return problem;
}

QuadraticProblem pairs_with_replacement(const QuadraticProblem& problem) {
  QuadraticProblem pairs = problem;
  for (std::size_t i = 0; i < pairs.clients.size(); ++i) {
    const auto& terms = problem.clients[i].terms;
    const double share = 1 / (2 * static_cast<double>(terms.size()));
    pairs.clients[i].terms.clear();
    for (const QuadraticTerm& first : terms)
      for (const QuadraticTerm& second : terms)
        pairs.clients[i].terms.push_back(
            {share * (first.curvature + second.curvature), share * (first.shift + second.shift)});
  }
  return pairs;
}

}  // namespace pollen::laws
