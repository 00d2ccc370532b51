// FA-LD on the Titanic with clipped gradients and private noise, a run whose privacy can be accounted for.
#pragma once

namespace pollen::testing {

inline const char* const kPrivateRun = R"(
seed = 4
[model]
kind = "logistic"
[data]
source = "titanic"
clients = 4
standardize = false
[sampler]
name = "fa-ld"
step = 1e-6
batch = 0.1
clip = 0.5
correlation = 0.5
local_steps = 5
[run]
iterations = 3000
burn_in = 0
chains = 2
[output]
lp = false
metrics_every = 20
[privacy]
delta = 1e-5
)";

}  // namespace pollen::testing
