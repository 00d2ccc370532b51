# Rscript peers.R FOLDER: fits FOLDER/income.csv, FOLDER/death.csv and FOLDER/visits.csv with lm and glm and prints one
# line per coefficient: the data, the coefficient's name, and the estimate with all its digits. For the linear model the
# logarithm of the residual standard error follows.
setwd(commandArgs(TRUE)[1])
tell <- function(data, names, values) cat(sprintf("%s %s %.17g\n", data, names, values), sep = "")
exactly <- glm.control(epsilon = 1e-14, maxit = 100)
fit <- lm(income ~ height + male + height_male, read.csv("income.csv"))
tell("income", names(coef(fit)), coef(fit))
tell("income", "log_sigma", log(summary(fit)$sigma))
fit <- glm(died == "yes" ~ age + creatinine + income, binomial, read.csv("death.csv"), control = exactly)
tell("death", names(coef(fit)), coef(fit))
fit <- glm(visits ~ distance + age, poisson, read.csv("visits.csv"), control = exactly)
tell("visits", names(coef(fit)), coef(fit))
