// Formats numbers for people.
export const kNone = "n/a";

// Writes four significant digits, as the command line does.
export function short(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return kNone;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1);
  return size >= 10 ** (digits - 1) ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(digits)));
}

export function fixed(value: number | null | undefined, places: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return kNone;
  return (Math.abs(value) < 0.5 * 10 ** -places ? 0 : value).toFixed(places);
}

// Writes text such as "every 2nd draw".
export function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${whole(n)}${teen ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")}`;
}

export function whole(value: number | null | undefined): string {
  return value === null || value === undefined ? kNone : Math.round(value).toLocaleString("en");
}

function scaled(value: number, unit: string): string {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let at = 0;
  while (Math.abs(value) >= 1000 && at + 1 < prefixes.length) (value /= 1000), ++at;
  return `${Number(value.toPrecision(3))} ${prefixes[at]}${unit}`;
}

export function bits(value: number | null | undefined): string {
  return value === null || value === undefined ? kNone : scaled(value, "bit");
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return kNone;
  if (value < 120) return `${Number(value.toPrecision(3))} s`;
  if (value < 7200) return `${Number((value / 60).toPrecision(3))} min`;
  return value < 172800 ? `${Number((value / 3600).toPrecision(3))} h` : `${Number((value / 86400).toPrecision(3))} days`;
}

export function percent(share: number | null | undefined): string {
  return share === null || share === undefined || Number.isNaN(share) ? kNone : `${Number((100 * share).toPrecision(3))} %`;
}

export function axisNumber(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e4) return scaled(value, "").trim();
  return size < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(4)));
}
