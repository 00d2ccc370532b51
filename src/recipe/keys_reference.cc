// The keys of [sampler] that only references and baselines read.
#include "key_kinds.h"
#include "parts.h"

namespace pollen {

namespace {

bool of_swag(const Config& c, const Recipe&) { return c.reference.surrogate == "swag"; }
bool of_draws(const Config& c, const Recipe&) { return c.sampler.name != "fsgld" || c.reference.surrogate != "swag"; }
bool distils(const Config& c, const Recipe&) { return c.sampler.name != "fedbe" || c.reference.distill; }

}  // namespace

// sampler_keys() puts the names of the references and baselines that read a key before the words given here; a test
// given here must hold as well.
std::vector<Key> reference_keys() {
  const std::string draws = "with sampler.surrogate = \"draws\"", swag = "with sampler.surrogate = \"swag\"";
  std::vector<Key> rows = {
      number("sampler.target_accept", kInside, AT(reference.target_accept))
          .help("The acceptance rate that the warm-up aims at.")
          .absent("0.8; 0.574 for mala")
          .used(draws, of_draws),
      boolean("sampler.adapt_mass", AT(reference.adapt_mass))
          .help("Whether the warm-up finds a diagonal mass matrix.")
          .used(draws, of_draws),
      integer("sampler.leapfrogs", 0, 1 << 20, AT(reference.leapfrogs))
          .help("The leapfrog steps of a trajectory; 0 takes its length over the step."),
      number("sampler.trajectory", kPositive, AT(reference.trajectory))
          .help("The length of a trajectory; the default is π/2."),
      number("sampler.jitter", kRest, AT(reference.jitter))
          .help("By how much the trajectory's length varies: it is multiplied by a number in 1 ± jitter."),
      integer("sampler.most_leapfrogs", 1, 1 << 20, AT(reference.most_leapfrogs))
          .help("The most leapfrog steps that a trajectory may have."),
      integer("sampler.max_depth", 1, 20, AT(reference.max_depth))
          .help("The depth of the trajectory's tree: at most 2^max_depth - 1 leapfrog steps.")
          .used(draws, of_draws),
      number("sampler.decay", kRest, AT(reference.decay)).help("How slowly the average of squared gradients forgets."),
      number("sampler.damping", kPositive, AT(reference.damping))
          .help("What is added to the root of the average of squared gradients."),
      number("sampler.server_step", kPositive, AT(reference.server_step))
          .help("The server moves by this times the clients' mean move.")
          .absent("1.0; step/clients for fedpa"),
      number("sampler.tolerance", kPositive, AT(reference.tolerance))
          .help("The ρ of |x_i - θ|²/2ρ, which ties a client's state to the server's.")
          .absent("10 times the step"),
      choice("sampler.local_kernel", {"nuts", "mala"}, AT(reference.local_kernel))
          .help("How clients sample their own posteriors.")
          .used(draws, of_draws),
      boolean("sampler.diagonal", AT(reference.diagonal))
          .help("Whether only variances are kept, not covariances, for large dimensions.")
          .used(draws, of_draws),
      integer("sampler.samples", 2, 1 << 20, AT(reference.samples))
          .help("The local samples of a round (fedpa), or the models drawn for the ensemble (fedbe).")
          .used("for fedbe with sampler.distill", distils),
      integer("sampler.local_burn_in", 0, 1 << 30, AT(reference.local_burn_in))
          .help("How many local steps come before the first sample of a round."),
      choice("sampler.server_law", {"gaussian", "dirichlet"}, AT(reference.server_law))
          .help("The law over the clients' models that the server draws from."),
      boolean("sampler.distill", AT(reference.distill))
          .help("Whether the server's model learns what the ensemble predicts on data.distill_source."),
      integer("sampler.distill_steps", 1, (1 << 20) - 1, AT(reference.distill_steps))
          .help("The gradient steps of one round's distillation.")
          .used("with sampler.distill", distils),
      number("sampler.distill_rate", kPositive, AT(reference.distill_rate))
          .help("The rate of these steps, on the mean loss of a row.")
          .used("with sampler.distill", distils),
      choice("sampler.surrogate", {"draws", "swag"}, AT(reference.surrogate))
          .help("What the surrogates are fitted to: draws of the clients' posteriors, or their gradient descent.")
          .absent("\"draws\"; \"swag\" for networks"),
      number("sampler.swag_rate", kPositive, AT(reference.swag_rate))
          .help("The rate of the clients' gradient descent.")
          .absent("sampler.step")
          .used(swag, of_swag),
      number("sampler.swag_least_sd", kPositive, AT(reference.swag_least_sd))
          .help("The least standard deviation that a surrogate may have.")
          .absent("by the step and the prior")
          .used(swag, of_swag),
      number("sampler.shrinkage", kPositive, AT(reference.shrinkage))
          .help("How strongly the local covariance is drawn towards the identity."),
      number("sampler.penalty", kFromZero, AT(sampler.penalty))
          .help("How strongly personal models are drawn to the common one."),
      number("sampler.mixture", kUnit, AT(sampler.mixture))
          .help("The share of the personal model in a client's mixture with the common one."),
      boolean("sampler.adapt_mixture", AT(sampler.adapt_mixture))
          .help("Whether each client learns its own mixture by gradient steps."),
      number("sampler.aggregate", kUnit, AT(sampler.aggregate))
          .help("The probability that an iteration averages instead of stepping."),
      integer("sampler.head_steps", 1, 1 << 30, AT(sampler.head_steps))
          .help("The steps on a client's own part in a round, before those on the shared part."),
      number("sampler.inner_step", kFromZero, AT(sampler.inner_step))
          .help("The step with which a client makes the common model its own."),
      boolean("sampler.hessian_free", AT(sampler.hessian_free))
          .help("Whether the second-order term is computed by differences; otherwise it is left out."),
  };
  for (Key& key : rows) key.written = [name = key.name()](const Config& c) { return row_reads(c, name); };
  return rows;
}

}  // namespace pollen
