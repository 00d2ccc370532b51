// The data that the pages show, as src/report writes them (embedded in report.html, or sent by the server of a running
// run). One ReportData is the whole page, and Page.update() may be called again with a newer one. A part that a run
// does not have is absent or null. A null in place of a number means that there is none, because JSON has no NaN.

export interface ReportData {
  format: 1;
  made: Versions; // the versions that made this report
  reference: number; // the place in `runs` of the one that the others are compared with: the last
  runs: RunData[]; // one run, or several to compare
}

export interface Versions {
  version: string;
  revision: string;
  build: string;
  compiler: string;
}

export interface RunData {
  name: string; // the folder as the user typed it; unique per run
  status: "complete" | "interrupted" | "failed" | "running";
  verdict: Verdict;
  facts: Facts;
  notes: string[]; // what pollen chose (the step), and what was left out of the page and why
  warnings: string[];
  parameters: ParameterRow[]; // rows of the table
  parametersInAll: number; // larger than the number of rows if some were left out
  plots: ParameterPlots | null; // null if there are no draws
  agreement?: string; // how far the posterior is from the reference's, in words; empty for the reference
  trajectories?: Trajectories[]; // nuts and hmc: one per chain
  communication: Communication | null;
  metrics: Metrics | null; // from metrics.csv
  scores: Score[]; // at the end of the run, over the rows that `scored` says
  scored?: Scored | null;
  auc?: Auc | null; // models of two classes
  calibration?: CalibrationGroup[]; // of the event's probability, for the same
  check?: PredictiveCheck | null;
  effects?: Effects | null; // mixed-effects models
  clients: ClientRow[]; // scores per client, for at most 200 clients
  clientsInAll: number;
  participation: Participation | null;
  heterogeneity: Heterogeneity | null;
  reliability: ReliabilityBin[];
  confidence: ConfidencePoint[];
  ood: Ood | null;
  privacy: Privacy | null;
  network: NetworkTime | null; // simulated time, if there is a [network] section
  config: string; // the effective configuration as TOML
}

// converged is null if that cannot be said (no draws, or an optimiser's iterates).
export interface Verdict {
  converged: boolean | null;
  words: string; // one sentence
  reasons: string[];
}

export interface Facts {
  version: string; // version of the pollen that made the run
  sampler: string;
  model: string;
  source: string;
  statement?: string; // model, target, units, priors, sampler and its error, in words
  units?: string; // what coefficients are coefficients of, and per what
  ratio?: string; // what the exponential of a coefficient is called, such as "odds ratio"
  event?: string; // of a model of two classes, such as "survived = yes"
  maxDepth?: number | null; // nuts
  states: string; // draws | weights | estimates | iterates
  seed: number | string | null; // text if it is larger than a number can hold
  chains: number;
  draws: number; // draws per chain
  iterations: number | null; // iterations done
  burnIn: number | null;
  thin: number | null;
  step: number | null;
  clients: number | null;
  trainRows: number | null;
  testRows: number | null;
  seconds: number | null;
  gradients: number | null;
  iterationsPerSecond: number | null;
}

export interface ParameterRow {
  name: string; // for example theta.1
  label: string; // for example intercept
  mean: number | null;
  mcse: number | null;
  sd: number | null;
  q5: number | null;
  q50: number | null;
  q95: number | null;
  essBulk: number | null;
  essTail: number | null;
  rhat: number | null;
  ratio?: (number | null)[]; // exp of the median and of the interval's ends, if that has a name
}

export interface Trajectories {
  transitions: number;
  divergent: number;
  saturated: number | null; // nuts
  ebfmi: number | null;
}

// The rows that scores are of: test rows, or training rows if there are no test rows.
export interface Scored {
  training: boolean;
  rows: number;
  inAll: number; // more than `rows` if some were left out
}

// The area under the ROC curve with a 90 % interval.
export interface Auc {
  value: number | null;
  lower: number | null;
  upper: number | null;
  rows: number;
  events: number;
}

export interface CalibrationGroup {
  predicted: number | null; // mean probability of the event
  observed: number; // share of rows with the event, with a 90 % interval
  lower: number;
  upper: number;
  rows: number;
}

// Data sets that the model makes, against the data. Without groups nothing was checked, and `words` says why.
export interface PredictiveCheck extends Scored {
  words: string;
  of: string; // what groups are: classes, numbers, counts
  draws: number | null;
  groups: Replicated[]; // shares of rows
  clients: Replicated[]; // shares of a class, or means of a number, per client
}
export interface Replicated {
  client: string;
  label: string; // of a class or a range of counts, or empty
  above: number | null; // a range of numbers; null where it is open
  upTo: number | null;
  rows: number;
  observed: number | null;
  predicted: number | null;
  lower: number | null; // 90 % of the data sets are between them
  upper: number | null;
}

// Each client's coefficients of the random columns, beside those of the population.
export interface Effects {
  of: string[];
  pooled: { label: string; estimate: number | null; lower: number | null; upper: number | null }[];
  clients: { name: string; estimate: (number | null)[]; lower: (number | null)[]; upper: (number | null)[] }[];
}

// Many numbers at once: base64 of little-endian words, row-major over `shape`. A scaled word means low + word·(high -
// low)/65534 with the low and high of its first index; the word 65535 means that there is no number.
export interface Block {
  type: "f32" | "u16" | "u32";
  shape: number[];
  data: string;
}
export interface ScaledBlock extends Block {
  type: "u16";
  low: number[];
  high: number[];
}

// The index p below counts the plotted parameters; rows[p] is the parameter's index in `parameters`.
export interface ParameterPlots {
  rows: number[];
  chains: number;
  draws: number; // draws per chain from which everything but the trace was computed
  every: number; // the trace and the pairs show one draw out of this many
  trace: ScaledBlock; // p × chain × point
  density: ScaledBlock; // p × (each chain, then all together) × grid point; low is 0 and high the highest density
  densityLow: number[]; // start of the grid of p
  densityHigh: number[]; // end of the grid of p
  ranks: Block; // u32: p × chain × bin, numbers of draws
  autocorrelation: ScaledBlock; // p × chain × lag; `lags` has the lags
  lags: number[];
}

export interface Communication {
  rounds: number;
  uplinkBits: number;
  downlinkBits: number;
  broadcastBits: number | null;
  uplinkBitsBound: number | null;
  messages: number | null;
  setupBits: number | null;
}

// Stored column by column, with at most 1,000 rows: evenly spaced, and always the last. The names are those of
// metrics.csv: round, uplink_bits, downlink_bits, gradients, seconds, ..., scores.
export interface Metrics {
  columns: string[];
  values: (number | null)[][];
  rowsInAll: number;
}

export interface Score {
  name: string; // for example accuracy, ece or nnll
  value: number | null;
}

export interface ClientRow {
  name: string;
  trainRows: number;
  testRows: number;
  scores: Score[];
}

// Consecutive clients form groups (at most 200), and iterations form bins (at most 100).
export interface Participation {
  groups: string[]; // the name of a client, or for example "clients 1 to 50"
  clients: number[]; // number of clients per group
  chains: number;
  binEnds: number[]; // the last iteration of each bin
  rounds: number[]; // number of rounds per bin
  messages: number[][]; // group × bin; the share is messages / (clients · chains · rounds)
}

// Training rows per label, for at most 200 groups of clients and 100 labels.
export interface Heterogeneity {
  groups: string[];
  labels: string[];
  counts: number[][]; // group × label
}

export interface ReliabilityBin {
  lower: number;
  upper: number;
  confidence: number | null;
  accuracy: number | null;
  rows: number;
}

export interface ConfidencePoint {
  threshold: number;
  accuracy: number | null;
  rows: number;
  oodRows: number | null;
}

export interface Ood {
  rows: number;
  scores: Score[]; // entropy_in, entropy_out, auroc, confident_in, ...
}

export interface Privacy {
  epsilon: number | null;
  delta: number | null;
  why: string; // the reason if there is no epsilon
  renyiEpsilon: number | null;
  renyiDelta: number | null;
  renyiWhy: string;
  targetEpsilon: number | null;
  spentAtRound: number | null;
}

export interface NetworkTime {
  seconds: number; // simulated seconds of the whole run
  parts: { name: string; seconds: number }[]; // set-up, waiting, down, computing, up, server
}
