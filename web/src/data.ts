// What the pages show, as src/report writes it (report.html: embedded; live: from the server). One ReportData is the
// whole page: Page.update() may be called again with a newer one. A part that a run does not have is absent or null;
// null for a number means that there is none (JSON has no NaN).

export interface ReportData {
  format: 1;
  made: Versions; // by whom this report was made
  runs: RunData[]; // one; several are compared, the first is what the others are compared with
}

export interface Versions {
  version: string;
  revision: string;
  build: string;
  compiler: string;
}

export interface RunData {
  name: string; // the folder as it was typed; different for different runs
  status: "complete" | "interrupted" | "failed" | "running";
  verdict: Verdict;
  facts: Facts;
  notes: string[]; // what was picked (the step), what was left out of the page, and why
  warnings: string[];
  parameters: ParameterRow[]; // rows of the table
  parametersInAll: number; // more than the rows there are where some were left out
  plots: ParameterPlots | null; // null without draws
  communication: Communication | null;
  metrics: Metrics | null; // metrics.csv
  scores: Score[]; // at the end, over all test rows
  clients: ClientRow[]; // their scores; at most 200
  clientsInAll: number;
  participation: Participation | null;
  heterogeneity: Heterogeneity | null;
  reliability: ReliabilityBin[];
  confidence: ConfidencePoint[];
  ood: Ood | null;
  privacy: Privacy | null;
  network: NetworkTime | null; // simulated time, with a [network] section
  config: string; // the effective configuration, TOML
}

// converged: null where it cannot be said (no draws, an optimiser's iterates).
export interface Verdict {
  converged: boolean | null;
  words: string; // one sentence
  reasons: string[];
}

export interface Facts {
  version: string; // of the pollen that ran it
  sampler: string;
  model: string;
  source: string;
  states: string; // draws | weights | estimates | iterates
  seed: number | string | null; // text where it is past what numbers hold
  chains: number;
  draws: number; // a chain
  iterations: number | null; // done
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
  name: string; // theta.1
  label: string; // intercept
  mean: number | null;
  mcse: number | null;
  sd: number | null;
  q5: number | null;
  q50: number | null;
  q95: number | null;
  essBulk: number | null;
  essTail: number | null;
  rhat: number | null;
}

// Numbers in bulk: base64 of little-endian words, row-major over `shape`. Scaled ones mean low + word·(high - low)/65534
// with low and high of their first index; the word 65535 is no number.
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

// Index p below counts the plotted parameters; rows[p] is the parameter's index in `parameters`.
export interface ParameterPlots {
  rows: number[];
  chains: number;
  draws: number; // a chain, that everything but the trace was computed from
  every: number; // the trace (and pairs) have every so many-th draw
  trace: ScaledBlock; // p × chain × point
  density: ScaledBlock; // p × (chain, then all together) × grid point; low is 0, high the tallest
  densityLow: number[]; // the grid of p goes from here
  densityHigh: number[]; // to here
  ranks: Block; // u32: p × chain × bin, counts of draws
  autocorrelation: ScaledBlock; // p × chain × lag, lags in `lags`
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

// Column by column; at most 1,000 rows, evenly spaced, the last among them. Names are those of metrics.csv: round,
// uplink_bits, downlink_bits, gradients, seconds, ..., scores.
export interface Metrics {
  columns: string[];
  values: (number | null)[][];
  rowsInAll: number;
}

export interface Score {
  name: string; // accuracy, ece, nnll, ...
  value: number | null;
}

export interface ClientRow {
  name: string;
  trainRows: number;
  testRows: number;
  scores: Score[];
}

// Clients in groups that follow each other (at most 200), iterations in bins (at most 100).
export interface Participation {
  groups: string[]; // a client's name, or "clients 1 to 50"
  clients: number[]; // in each group
  chains: number;
  binEnds: number[]; // the last iteration of each bin
  rounds: number[]; // in each bin
  messages: number[][]; // group × bin; the share is messages / (clients · chains · rounds)
}

// Training rows of each label; at most 200 groups of clients and 100 labels.
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
  why: string; // where there is no epsilon
  renyiEpsilon: number | null;
  renyiDelta: number | null;
  renyiWhy: string;
  targetEpsilon: number | null;
  spentAtRound: number | null;
}

export interface NetworkTime {
  seconds: number; // simulated, in all
  parts: { name: string; seconds: number }[]; // set-up, waiting, down, computing, up, server
}
