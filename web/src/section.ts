// A section of a page: made once in its host, then told of data as often as they change. update() decides itself
// whether it has anything to show; the page hides the host where `shown` says no.
import type { ReportData } from "./data";

export interface SectionView {
  update(data: ReportData): void;
}

export interface Section {
  id: string; // of the heading, for links
  title: string;
  shown(data: ReportData): boolean;
  create(host: HTMLElement): SectionView;
}
