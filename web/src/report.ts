// The report page, whose data are embedded in the page.
import type { ReportData } from "./data";
import { createPage } from "./page";
import { reportSections } from "./sections/all";
import "./style.css";

const text = document.getElementById("report-data")?.textContent ?? "";
const root = document.getElementById("page");
if (root) createPage(root, reportSections).update(JSON.parse(text) as ReportData);
