// The sections of the report in their order. The live page picks from these.
import type { Section } from "../section";
import { calibration } from "./calibration";
import { communication } from "./communication";
import { comparison } from "./comparison";
import { configuration } from "./configuration";
import { effects } from "./effects";
import { privacy, simulatedTime } from "./costs";
import { forest } from "./forest";
import { head } from "./head";
import { heterogeneity } from "./heterogeneity";
import { pairs } from "./pairs";
import { parameters } from "./parameters";
import { participation } from "./participation";
import { predictiveCheck } from "./predictive_check";
import { summary } from "./summary";
import { trajectories } from "./trajectories";

export const reportSections: Section[] = [
  head, comparison, summary, forest, effects, calibration, predictiveCheck, trajectories, communication, participation, heterogeneity, privacy,
  simulatedTime, parameters, pairs, configuration,
];
