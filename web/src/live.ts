// The dashboard of a running run: progress and clients, followed by the report's sections, all updated as data arrive.
import { calm } from "./calm";
import { Connection, type ConnectionState } from "./connection";
import { el } from "./dom";
import { percent } from "./format";
import type { LiveData } from "./live_data";
import { createPage } from "./page";
import type { Section } from "./section";
import { clients } from "./live/clients";
import { diagnostics } from "./live/diagnostics";
import { progress } from "./live/progress";
import { calibration } from "./sections/calibration";
import { communication } from "./sections/communication";
import { configuration } from "./sections/configuration";
import { forest } from "./sections/forest";
import { head } from "./sections/head";
import { pairs } from "./sections/pairs";
import { parameters } from "./sections/parameters";
import { predictiveCheck } from "./sections/predictive_check";
import { summary } from "./sections/summary";
import "./style.css";
import "./live/live.css";

const kTitle = "pollen dashboard";
const kSections: Section[] = [
  progress, clients, diagnostics, calm(head, 2000), calm(summary, 1500), calm(forest, 1500), calm(communication, 1500), calm(calibration, 3000), calm(predictiveCheck, 3000),
  calm(parameters, 1500), calm(pairs, 5000), calm(configuration, 1e9),
];

const kWords: Record<ConnectionState, string> = {
  connecting: "connecting…",
  live: "live",
  lost: "connection lost; trying again",
  over: "the run is over; this page no longer changes",
};

function clock(): string {
  return new Date().toLocaleTimeString("en", { hour12: false });
}

function start(root: HTMLElement): void {
  const page = createPage(root, kSections, kTitle);
  const words = el("span", {}, kWords.connecting);
  const sign = el("p", { class: "standing connecting", role: "status" }, el("span", { class: "dot", "aria-hidden": "true" }), words);
  root.querySelector(".top h1")?.after(sign);
  let latest: LiveData | null = null, waits = false, seen = "";

  const show = (): void => {
    waits = false;
    if (!latest) return;
    page.update(latest);
    const { live, runs } = latest, share = live.iterations ? live.iteration / live.iterations : null;
    document.title = `${share === null ? live.phase : percent(Math.floor(100 * share) / 100)} · ${runs[0]?.name ?? ""} · ${kTitle}`;
  };
  new Connection(`events${location.search}`, {
    data(data) {
      latest = data;
      seen = clock();
      if (data.live.phase === "over") show();
      else if (!waits) {
        waits = true;
        requestAnimationFrame(show); // the browser does not call this while nobody sees the page
      }
    },
    changed(now) {
      const text = now === "lost" && seen ? `${kWords.lost} (what is shown is of ${seen})` : kWords[now];
      if (words.textContent === text) return; // screen readers read every change aloud
      words.textContent = text;
      sign.className = `standing ${now}`;
    },
  });
}

const root = document.getElementById("page");
if (root) start(root);
