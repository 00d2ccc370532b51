// The posteriors of docs/models.md with the automatic prior, for columns that are centred and scaled: the first column
// is the intercept's, and all coefficients have the prior sd 2.5. It is written from the page and shares no code with
// pollen.
data {
  int<lower=1, upper=4> family;  // 1: linear, 2: logistic, 3: poisson, 4: softmax
  int N;
  int p;
  int C;          // sets of coefficients: classes of softmax, else 1
  matrix[N, p] x;
  vector[N] y;    // linear
  int k[N];       // the others; classes count from 1
  matrix[p, p] a;  // these only make sampling easy: directions of psi are then about as long as each other
  matrix[p, p] a1; // the same for the mean of the classes, of which the data say nothing
  matrix[C, C] q;  // contrasts of classes, their mean first
  matrix[p, C] m;
  real centre;    // of the intercept's prior
}
parameters {
  matrix[p, C] psi;
  real lambda[family == 1 ? 1 : 0];
}
transformed parameters {
  matrix[p, C] beta = m;
  if (C == 1) beta += a * psi;
  else beta += append_col(a1 * col(psi, 1), a * psi[, 2:C]) * q';
}
model {
  beta[1] ~ normal(centre, 2.5);
  for (c in 1:C) beta[2:p, c] ~ normal(0, 2.5);
  if (family == 1) {
    lambda[1] ~ normal(0, 1);
    y ~ normal_id_glm(x, 0, col(beta, 1), exp(lambda[1]));
  } else if (family == 2) {
    k ~ bernoulli_logit_glm(x, 0, col(beta, 1));
  } else if (family == 3) {
    k ~ poisson_log(x * col(beta, 1)); // poisson_log_glm of Stan 2.21 has a wrong gradient where counts are large
  } else {
    matrix[N, C] eta = x * beta;
    for (n in 1:N) k[n] ~ categorical_logit(eta[n]');
  }
}
