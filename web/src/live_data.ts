// What the server of a running run sends (src/report/live_json.cc): a ReportData with one run, and what only a running one
// has.
import type { ReportData } from "./data";

export interface LiveData extends ReportData {
  live: Live;
}

export interface Live {
  phase: "preparing" | "waiting" | "sampling" | "writing" | "over";
  iteration: number;
  iterations: number | null; // asked for; null before it is known
  started: number; // iterations done before this process (a resumed run)
  rate: number | null; // iterations a second, of late
  secondsLeft: number | null;
  rhat: number | null; // the worst of all parameters, unsplit: for a first look
  ended: { status: "complete" | "interrupted" | "failed"; words: string } | null;
  clients: LiveClients;
  diagnostics: { iteration: number[]; rhat: (number | null)[]; ess: (number | null)[] }; // of the shown parameters
}

export interface LiveClients {
  shown: LiveClient[]; // at most 200, evenly chosen
  inAll: number;
  here: number | null; // connected; null in a simulation
  heard: number; // took part at least once
  participants: number; // of the latest round
}

export interface LiveClient {
  name: string;
  state: "unknown" | "waiting" | "active" | "late" | "gone"; // unknown: in a simulation
  rows: number | null;
  turns: number; // rounds it took part in
  lastRound: number | null;
  skipped: number; // rounds that went on without it
  upBytes: number;
  downBytes: number;
  latency: number | null; // seconds
}

// Sections of the live page are told of reports, and look for more in them.
export const liveOf = (data: ReportData): Live | undefined => (data as Partial<LiveData>).live;
