// A section of a page. It is made once in its host and updated whenever the data change. update() itself decides what
// to show; the page hides the host if `shown` returns false.
import type { ReportData } from "./data";

export interface SectionView {
  update(data: ReportData): void;
}

export interface Section {
  id: string; // id of the heading, for links
  title: string;
  ofParameters?: boolean; // about single parameters, which come last if they are weights of a network
  shown(data: ReportData): boolean;
  create(host: HTMLElement): SectionView;
}
