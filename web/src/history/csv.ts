// Tables as CSV (RFC 4180), for spreadsheets. Independent of page and network.

/** Texts with which a spreadsheet would begin a formula. Numbers may begin with a sign. */
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?$/;

function cellText(value: string): string {
  const safe = formula.test(value) && !number.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the CSV text of a table: a line of names, then one line for each row, each ended by CR LF. */
export function csvOf(
  names: readonly string[],
  rows: ReadonlyArray<readonly (string | number | boolean | null)[]>,
): string {
  const lines = [names, ...rows.map((row) => row.map((cell) => String(cell ?? "")))];
  return lines.map((line) => `${line.map(cellText).join(",")}\r\n`).join("");
}
