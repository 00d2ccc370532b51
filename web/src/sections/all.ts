// The sections of the report in their order. The live page picks from these.
import type { Section } from "../section";
import { calibration } from "./calibration";
import { communication } from "./communication";
import { comparison } from "./comparison";
import { configuration } from "./configuration";
import { privacy, simulatedTime } from "./costs";
import { forest } from "./forest";
import { head } from "./head";
import { heterogeneity } from "./heterogeneity";
import { pairs } from "./pairs";
import { parameters } from "./parameters";
import { participation } from "./participation";
import { summary } from "./summary";

export const reportSections: Section[] = [
  head, comparison, summary, forest, communication, calibration, participation, heterogeneity, privacy, simulatedTime, parameters, pairs, configuration,
];
