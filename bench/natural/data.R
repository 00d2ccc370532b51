# Data sets in the units in which people have them. A case is a list: kind, target, data, and where it differs from the
# defaults `extra` lines of the configuration, `truth` (how to judge it) and `samplers` (which besides the default).
# Every data set has a column `site`, which makes the clients.
suppressMessages(library(MASS))

sited <- function(d, sites = 5, sizes = NULL) {
  n <- nrow(d)
  d$site <- paste0("s", if (is.null(sizes)) sample(rep_len(seq_len(sites), n)) else rep(seq_along(sizes), sizes))
  d
}
yes <- function(eta) ifelse(runif(length(eta)) < plogis(eta), "yes", "no")
digits <- function(x, n = 6) signif(x, n)

cases <- list()
add <- function(name, kind, target, data, extra = NULL, truth = "posterior", random = NULL) {
  if (is.null(data$site)) data <- sited(data)
  cases[[name]] <<- list(name = name, kind = kind, target = target, data = data, extra = extra, truth = truth,
                         random = random)
}
linear <- function(name, target, data, ...) add(name, "linear", target, data, ...)
logistic <- function(name, target, data, ...) add(name, "logistic", target, data, ...)
poisson_ <- function(name, target, data, ...) add(name, "poisson", target, data, ...)

# -- linear ---------------------------------------------------------------------------------------------------------
set.seed(1)
n <- 1200
height <- round(rnorm(n, 1700, 100)); sex <- sample(c("female", "male"), n, TRUE); male <- 1 * (sex == "male")
income <- round(12000 + 18 * height + 6000 * male + rnorm(n, 0, 15000))
linear("dollars on millimetres", "income", data.frame(height, sex, income))
linear("an interaction", "income", data.frame(height, male, height_male = height * male, income))

n <- 500
d <- data.frame(length_mm = round(rnorm(n, 4500, 300)), weight_g = round(rnorm(n, 1.4e6, 2e5), -1),
                delay_ms = digits(rexp(n, 1 / 180)), year = sample(2001:2023, n, TRUE),
                at = round(1.7e9 + rnorm(n, 0, 30), 2))
d$price <- round(20000 + 2 * d$length_mm + 0.01 * d$weight_g - 8 * d$delay_ms + 300 * (d$year - 2010) +
                 9 * (d$at - 1.7e9) + rnorm(n, 0, 2500))
linear("mm, g, ms, years and seconds since 1970", "price", d)

n <- 400; age <- sample(18:90, n, TRUE)
linear("age, its square and its cube", "wage",
       data.frame(age, age2 = age^2, age3 = age^3, wage = round(200 * age - 1.6 * age^2 + rnorm(n, 0, 900))))

n <- 300; a <- rnorm(n, 50, 10)
d <- data.frame(first = digits(a, 9), second = digits(a + rnorm(n, 0, 10 * sqrt(1 / 0.9999^2 - 1)), 9))
d$y <- digits(3 + 0.4 * d$first + 0.2 * d$second + rnorm(n, 0, 4))
linear("two columns with correlation 0.9999", "y", d)

b <- rnorm(n, 20, 5)
linear("a sum beside its parts", "y", data.frame(a = digits(a), b = digits(b), total = digits(a) + digits(b),
                                                y = digits(1 + 2 * a - b + rnorm(n, 0, 6))))
linear("a constant column", "y", data.frame(a = digits(a), ward = 7, y = digits(1 + 2 * a + rnorm(n, 0, 6))))
linear("heavy tails", "y", data.frame(a = digits(a), b = digits(b), y = digits(100 + 3 * a + 20 * rt(n, 2))))
y <- digits(1 + 2 * a + rnorm(n, 0, 6)); y[17] <- 1e6
linear("one typing error of a million", "y", data.frame(a = digits(a), b = digits(b), y))
linear("twelve rows", "y", sited(data.frame(a = digits(a), b = digits(b), c = sample(1:5, n, TRUE), y = digits(50 + a + rnorm(n, 0, 9)))[1:12, ], 3))
x <- as.data.frame(matrix(digits(rnorm(60 * 45, 100, 15)), 60))
linear("45 columns, 60 rows", "y", data.frame(x, y = digits(as.matrix(x)[, 1:5] %*% c(1, 1, -1, 2, 0.5) + rnorm(60, 0, 20))))
x <- as.data.frame(matrix(digits(rnorm(30 * 40, 100, 15)), 30))
linear("40 columns, 30 rows", "y", data.frame(x, y = digits(as.matrix(x)[, 1:5] %*% c(1, 1, -1, 2, 0.5) + rnorm(30, 0, 20))))
n <- 20000
d <- data.frame(km = digits(rexp(n, 1 / 8000)), age = sample(0:25, n, TRUE), kw = round(rnorm(n, 90, 25)),
                fuel = sample(c("diesel", "petrol", "electric"), n, TRUE, c(.4, .5, .1)))
d$price <- round(25000 - 0.4 * d$km - 700 * d$age + 80 * d$kw + rnorm(n, 0, 3000))
linear("20,000 rows", "price", d)
n <- 250; a <- rnorm(n, 300, 5)
linear("a target of 1e-9", "current", data.frame(kelvin = digits(a), current = digits(2e-9 + 3e-11 * (a - 300) + rnorm(n, 0, 2e-10))))
linear("a target of 1e12", "gdp", data.frame(pop = round(exp(rnorm(n, 17, 1))), gdp = digits(1e12 + 4e11 * rnorm(n))))
linear("a perfect fit", "y", data.frame(a = digits(a), y = 3 * digits(a) + 2), truth = "refused")
linear("an error of 1e-6", "y", data.frame(a = digits(a), y = sprintf("%.12f", 3 * digits(a) + 2 + rnorm(n, 0, 1e-6))))
linear("an error of 1e-9", "y", data.frame(a = digits(a), y = sprintf("%.14f", 3 * digits(a) + 2 + rnorm(n, 0, 1e-9))))
linear("Longley", "Employed", sited(longley, 2))
linear("mtcars", "mpg", sited(mtcars, 3))
linear("swiss", "Fertility", swiss)
linear("stackloss", "stack.loss", sited(stackloss, 3))
linear("Boston", "medv", Boston)
linear("airquality, rows dropped", "Ozone", airquality[, 1:4], extra = 'missing = "drop"')
linear("whiteside", "Gas", whiteside)
linear("a factor with rare levels", "y", data.frame(kind = c(sample(letters[1:4], 396, TRUE), "p", "q", "r", "r"),
                                                  y = digits(rnorm(400, 1000, 50))))
linear("no column tells anything", "y", data.frame(a = digits(rnorm(80)), b = digits(runif(80)), y = digits(rnorm(80, 1e4, 1e3))))

# -- logistic -------------------------------------------------------------------------------------------------------
set.seed(2)
n <- 3000
d <- data.frame(age = sample(20:90, n, TRUE), dose = digits(rexp(n, 1 / 200), 4))
d$died <- yes(-6.3 + 0.025 * (d$age - 50) + 0.002 * d$dose)
logistic("1 % events", "died", d)
n <- 200; x <- digits(rnorm(n, 120, 15)); ward <- sample(c("a", "b", "c"), n, TRUE)
logistic("quasi-separation", "ill", data.frame(pressure = x, ward, ill = ifelse(ward == "c", "no", yes((x - 120) / 15))))
logistic("perfect separation", "ill", data.frame(pressure = x, age = sample(20:80, n, TRUE), ill = ifelse(x > 125, "yes", "no")))
logistic("text labels and text columns", "vote", {
  d <- data.frame(region = sample(c("north", "south", "east", "west"), 900, TRUE), sex = sample(c("f", "m"), 900, TRUE),
                  age = sample(18:95, 900, TRUE))
  d$vote <- ifelse(runif(900) < plogis(-1 + 0.03 * d$age - (d$region == "south")), "remain", "leave"); d })
n <- 800; income <- round(exp(rnorm(n, 10.5, 1)))
logistic("income in dollars, log-normal", "owner", data.frame(income, age = sample(20:80, n, TRUE), owner = yes(-1 + 2e-5 * (income - 40000))))
logistic("wealth in dollars, log-normal with sd 2.5", "owner", {
  wealth <- round(exp(rnorm(n, 9, 2.5))); data.frame(wealth, owner = yes(-1 + pmin(wealth, 1e5) * 2e-5)) })
x <- as.data.frame(matrix(digits(rnorm(300 * 40, 10, 3)), 300))
logistic("40 columns, 300 rows", "y", data.frame(x, y = yes(0.2 * rowSums(x[, 1:6] - 10))))
n <- 1231; x <- digits(rnorm(n, 36.8, 0.6)); d <- data.frame(temperature = x, age = sample(1:99, n, TRUE), flu = yes(-40 + 1.07 * x))
logistic("clients of 2 to 1,000 rows", "flu", sited(d, sizes = c(2, 9, 20, 200, 1000)))
d <- sited(d[1:400, ], 4); d$flu[d$site == "s2"] <- "no"
logistic("a client with one class", "flu", d)
logistic("birthwt", "low", { d <- birthwt[, -10]; d$race <- c("white", "black", "other")[d$race]; d })
logistic("Pima", "type", Pima.tr)
logistic("infert", "case", infert[, c(1:6)])
logistic("two clients, 16 rows", "am", sited(mtcars[seq(1, 32, 2), c("mpg", "hp", "am")], 2))

# -- softmax --------------------------------------------------------------------------------------------------------
set.seed(3)
add("iris", "softmax", "Species", iris)
n <- 600; km <- digits(rexp(n, 1 / 12), 4); income <- round(exp(rnorm(n, 10.5, 0.6)))
u <- cbind(bike = 1.5 - 0.2 * km, bus = 0.3, car = -1 + 0.05 * km + 1.5e-5 * income) - log(-log(matrix(runif(3 * n), n)))
add("three ways to work", "softmax", "mode", data.frame(km, income, mode = colnames(u)[max.col(u)]))

# -- poisson --------------------------------------------------------------------------------------------------------
set.seed(4)
n <- 400; pop <- round(exp(rnorm(n, 10, 0.8))); t <- digits(rnorm(n, 15, 8), 4)
poisson_("counts up to 100,000", "sold", data.frame(t, weekend = sample(c("no", "yes"), n, TRUE), sold = rpois(n, exp(8 + 0.08 * t))))
n <- 1000; bytes <- digits(exp(rnorm(n, 8, 2)), 5)
poisson_("a column with a long tail", "errors", data.frame(bytes, errors = rpois(n, 0.06)))
poisson_("a level with zeros only", "claims", { k <- sample(c("a", "b", "c"), n, TRUE, c(.5, .45, .05)); data.frame(kind = k, age = sample(18:80, n, TRUE), claims = ifelse(k == "c", 0, rpois(n, 0.8))) })
poisson_("trends over years", "cases", { year <- sample(1990:2020, n, TRUE); data.frame(year, cases = rpois(n, exp(2 + 0.04 * (year - 2005)))) })
poisson_("quine", "Days", quine)
poisson_("InsectSprays", "count", InsectSprays)
poisson_("epil", "y", epil[, c("y", "trt", "base", "age", "V4")])
poisson_("warpbreaks", "breaks", warpbreaks)
poisson_("few counts", "falls", data.frame(age = round(rnorm(120, 82, 6)), falls = rpois(120, 0.05)))

# -- mixed ----------------------------------------------------------------------------------------------------------
set.seed(5)
mixed <- function(name, target, data, who, random, kind = "mixed-gaussian", ...) {
  names(data)[names(data) == who] <- "site"
  data$site <- paste0("c", data$site)
  add(name, kind, target, data, truth = "lme4", random = random, ...)
}
people <- function(m, each, sd0, sd1, noise) {
  d <- data.frame(who = rep(seq_len(m), each = each), day = rep(seq_len(each) - 1, m))
  d$ms <- digits(300 + rnorm(m, 0, sd0)[d$who] + (12 + rnorm(m, 0, sd1)[d$who]) * d$day + rnorm(nrow(d), 0, noise)); d
}
sleep_ <- lme4::sleepstudy
mixed("sleepstudy", "Reaction", sleep_, "Subject", c("intercept", "Days"))
mixed("reaction times, 30 persons", "ms", people(30, 8, 60, 8, 25), "who", c("intercept", "day"))
mixed("three clients", "ms", people(3, 15, 60, 0, 25), "who", "intercept")
mixed("100 clients of two rows", "ms", people(100, 2, 60, 0, 25), "who", "intercept")
mixed("no variance between clients", "Yield", lme4::Dyestuff2, "Batch", "intercept")
mixed("Dyestuff", "Yield", lme4::Dyestuff, "Batch", "intercept")
mixed("a slope for centuries", "y", { d <- data.frame(who = rep(1:25, each = 10), year = sample(1900:2000, 250, TRUE)); d$y <- digits(5e4 + rnorm(25, 0, 3000)[d$who] + 80 * (d$year - 1950) + rnorm(250, 0, 2000)); d }, "who", "intercept")
cb <- lme4::cbpp
cb <- cb[rep(seq_len(nrow(cb)), cb$size), ]; cb$ill <- unlist(Map(function(i, s) rep(c("yes", "no"), c(i, s - i)), lme4::cbpp$incidence, lme4::cbpp$size))
mixed("cbpp", "ill", data.frame(herd = cb$herd, period = paste0("p", cb$period), ill = cb$ill), "herd", "intercept", "mixed-logistic")
v <- lme4::VerbAgg[, c("Anger", "btype", "situ", "mode", "id", "r2")]
mixed("VerbAgg", "r2", v, "id", "intercept", "mixed-logistic")
g <- data.frame(who = rep(1:40, each = 12), age = sample(20:70, 480, TRUE)); g$ok <- yes(0.5 + rnorm(40)[g$who] + 0.03 * (g$age - 45))
mixed("40 persons, ages in years", "ok", g, "who", "intercept", "mixed-logistic")
