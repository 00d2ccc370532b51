// The data that the server of a running run sends (src/report/live_json.cc): a ReportData with one run, and the facts
// that only a running run has.
import type { ReportData } from "./data";

export interface LiveData extends ReportData {
  live: Live;
}

export interface Live {
  phase: "preparing" | "waiting" | "sampling" | "writing" | "over";
  iteration: number;
  iterations: number | null; // iterations asked for; null before that is known
  started: number; // iterations done before this process started (in a resumed run)
  rate: number | null; // recent iterations per second
  secondsLeft: number | null;
  rhat: number | null; // the worst over all parameters, without splitting chains; meant for a first look
  ended: { status: "complete" | "interrupted" | "failed"; words: string } | null;
  clients: LiveClients;
  diagnostics: { iteration: number[]; rhat: (number | null)[]; ess: (number | null)[] }; // for the shown parameters
}

export interface LiveClients {
  shown: LiveClient[]; // at most 200, evenly chosen
  inAll: number;
  here: number | null; // clients connected; null in a simulation
  heard: number; // clients that took part at least once
  participants: number; // participants of the latest round
  frames: boolean; // the clients' bits are those of whole frames, not of payloads alone
}

export interface LiveClient {
  name: string;
  state: "unknown" | "waiting" | "active" | "late" | "gone"; // unknown in a simulation
  rows: number | null;
  turns: number; // rounds in which it took part
  lastRound: number | null;
  skipped: number; // rounds that continued without it
  upBits: number;
  downBits: number;
  latency: number | null; // seconds
}

// Sections of the live page receive reports; this returns what a live report has in addition.
export const liveOf = (data: ReportData): Live | undefined => (data as Partial<LiveData>).live;
