// Built-in data sets, which need no file. Each returns the same table that a reader of a file would. The functions are
// pure; they expect specs with their defaults filled in.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

bool is_builtin(const std::string& source);
// True if the source makes its own clients, each of which counts as a file.
bool is_synthetic(const std::string& source);

// Returns the 2201 people of the Titanic from the published table of counts: class, sex, age and survived.
RawTable titanic();

// Draws y_ij ~ N(μ_i, I) with μ_i ~ N(0, heterogeneity² I) and N_i uniform in min_size..max_size.
RawTable synthetic_gaussian(const DataSpec& spec, std::uint64_t seed);

// Draws SYNTHETIC(α, β) of Li et al. 2020, "Federated Optimization in Heterogeneous Networks", section 5.1, with two
// classes in the column "label". α and β are variances:
//   y = argmax(W_i x + b_i), W_i, b_i ~ N(u_i, 1), u_i ~ N(0, α);
//   x ~ N(v_i, Σ), Σ_jj = j^-1.2, v_i ~ N(B_i, 1), B_i ~ N(0, β)
RawTable synthetic_logistic(const DataSpec& spec, std::uint64_t seed);

// Draws y ~ N(xᵀΦz_i, noise_sd²) with x ~ N(0, I) and z_i ~ N(0, heterogeneity² I), where Φ is the Q factor of a
// dimension × latent_dimension matrix of normals. The first round(small_share · clients) clients have min_size rows,
// the others have max_size.
inline const std::string kMixedTarget = "y";  // name of the column with y
RawTable synthetic_mixed(const DataSpec& spec, std::uint64_t seed);

}  // namespace pollen::data
