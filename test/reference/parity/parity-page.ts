// Writes docs/reference/binance-parity.md: one table per surface and kind of name. A row says what a running venue
// answered when it was probed, and how it differs where the answer alone cannot tell.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../support/tidy/tree.ts";
import {
  type BinanceNames,
  binanceNames,
  type FixNames,
  type SurfaceName,
} from "./binance-names.ts";
import { differences } from "./differences.ts";

/** What a venue answered to the probe of a name: undefined if it has the name, otherwise its refusal. */
export type Probed = ReadonlyMap<string, string | undefined>;

type RowSurface = SurfaceName | "fix";

const path = join(projectRoot, "docs/reference/binance-parity.md");
const surfaceTitles = { spot: "Spot", usdm: "USD-M perpetuals" } as const;

/** Identifies a row, in the results of probes and in the list of differences. */
export function rowOf(surface: RowSurface, name: string, parameter = ""): string {
  return parameter === "" ? `${surface} ${name}` : `${surface} ${name} ${parameter}`;
}

function verdictOf(row: string, probed: Probed): string {
  const refusal = probed.get(row);
  if (refusal !== undefined) return `absent: ${refusal}`;
  const difference = differences[row];
  return difference === undefined ? "same" : `different: ${difference}`;
}

/** The parameters of a route or method: those that are the same by name, then the others with their verdict. */
function parametersOf(surface: RowSurface, name: string, list: string, probed: Probed): string {
  const isAbsent = probed.get(rowOf(surface, name)) !== undefined;
  if (list === "" || isAbsent) return list;
  const verdicts = list
    .split(" ")
    .map((parameter) => [parameter, verdictOf(rowOf(surface, name, parameter), probed)] as const);
  const same = verdicts.filter(([, verdict]) => verdict === "same").map(([one]) => `\`${one}\``);
  const others = verdicts
    .filter(([, verdict]) => verdict !== "same")
    .map(([one, verdict]) => `\`${one}\` ${verdict}`);
  const sameText = same.length === 0 ? [] : [`same: ${same.join(", ")}`];
  return [...sameText, ...others].join("; ");
}

function callsTable(
  surface: RowSurface,
  title: string,
  calls: Readonly<Record<string, string>>,
  probed: Probed,
): string {
  const rows = Object.entries(calls).map(([name, list]) => {
    const parameters = parametersOf(surface, name, list, probed);
    return `| \`${name}\` | ${verdictOf(rowOf(surface, name), probed)} | ${parameters} |\n`;
  });
  return `| ${title} | Verdict | Parameters |\n|---|---|---|\n${rows.join("")}`;
}

function namesTable(
  surface: RowSurface,
  title: string,
  names: readonly string[],
  probed: Probed,
): string {
  const rows = names.map(
    (name) => `| \`${name}\` | ${verdictOf(rowOf(surface, name), probed)} |\n`,
  );
  return `| ${title} | Verdict |\n|---|---|\n${rows.join("")}`;
}

function surfaceText(surface: SurfaceName, names: BinanceNames, probed: Probed): string {
  const { routes, methods, streams, events } = names[surface];
  return [
    `## ${surfaceTitles[surface]}\n`,
    callsTable(surface, "Endpoint", routes, probed),
    callsTable(surface, "Method of the WebSocket API", methods, probed),
    namesTable(surface, "Stream", streams, probed),
    namesTable(surface, "Event of user data", events, probed),
  ].join("\n");
}

function fixText({ orders, marketData, messages }: FixNames, probed: Probed): string {
  return [
    "## FIX\n",
    callsTable("fix", "Message to the venue", { ...orders, ...marketData }, probed),
    namesTable("fix", "Message from the venue", messages, probed),
  ].join("\n");
}

/** Counts the verdicts of all rows, parameters of absent calls left out. */
function summaryOf(names: BinanceNames, probed: Probed): string {
  const counts = { same: 0, different: 0, absent: 0 };
  for (const row of rowsOf(names)) {
    const call = row.split(" ");
    if (probed.get(row) === undefined && isOfAbsentCall(call, probed)) continue;
    const verdict = verdictOf(row, probed).split(":")[0] as keyof typeof counts;
    counts[verdict]++;
  }
  return `${counts.same} rows are the same, ${counts.different} differ, ${counts.absent} are absent.`;
}

function isOfAbsentCall(words: readonly string[], probed: Probed): boolean {
  return probed.get(words.slice(0, -1).join(" ")) !== undefined;
}

/** Every row of the table. */
export function rowsOf(names: BinanceNames): string[] {
  const { orders, marketData, messages } = names.fix;
  const surfaces = (["spot", "usdm"] as const).flatMap((surface) => {
    const { routes, methods, streams, events } = names[surface];
    return rowsOfSurface(surface, [routes, methods], [...streams, ...events]);
  });
  return [...surfaces, ...rowsOfSurface("fix", [orders, marketData], messages)];
}

function rowsOfSurface(
  surface: RowSurface,
  calls: readonly Readonly<Record<string, string>>[],
  others: readonly string[],
): string[] {
  return [
    ...calls.flatMap(Object.entries<string>).flatMap(([name, list]) => [
      rowOf(surface, name),
      ...list
        .split(" ")
        .filter((parameter) => parameter !== "")
        .map((parameter) => rowOf(surface, name, parameter)),
    ]),
    ...others.map((name) => rowOf(surface, name)),
  ];
}

/** Renders the page from the names, the results of the probes and the list of differences. */
export function renderedPage(probed: Probed, names = binanceNames()): string {
  return `# Parity with Binance

What the compat view of this venue has of Binance's spot and USD-M interfaces, as they were on ${names.taken}
(sources: ${names.from.join("; ")}). A test probes every row against a running venue and writes this page:
\`UPDATE_REFERENCE=1 make test ONLY=reference\`. ${summaryOf(names, probed)}

"same": the name is served in Binance's form. "different": it is served, and the row says how it differs. "absent": the row
says what is answered, always as JSON with \`code\` and \`msg\`; an ignored parameter changes nothing. Paths are under
\`/compat\`. What holds everywhere is not repeated in the rows:

- Spot symbols have a hyphen (\`CC-USDC\`); the form without it is accepted. Statuses follow [the errors](errors.md), and an
  unknown symbol, side or type answers -1100.
- \`timestamp\`, \`recvWindow\` (three decimals), \`signature\` and \`apiKey\` are as at Binance, with HMAC and Ed25519 keys; RSA
  keys are not offered. \`X-MBX-TIME-UNIT\` and \`timeUnit\` select microseconds on spot (CMP-13, CMP-31).
- SBE is served on spot in the schemas 3:5, 3:4 and, on streams, 1:0 (SBE-1, SBE-21): every answer and event that Binance has
  a template for. The streams \`trade\`, \`bestBidAsk\`, \`depth\` and \`depth20\` are under \`/compat/sbe\` instead of a host of
  their own, and need no key (SBE-11, SBE-17).
- Weights are those of Binance's limit of 1200 a minute (LIM-5); a successful order costs none (LIM-34).
- Frames of user data carry the field \`seq\`, by which a client resumes (STR-20, STR-23).
- FIX on spot is offered with \`FIX_PORT\` and, for market data, \`FIX_MARKET_DATA_PORT\`; [its guide](../guides/trade-over-fix.md#what-is-offered)
  says what differs. A tag of a group is named with its group.
- What Binance has retired is served, and refused as Binance refuses it with \`COMPAT_STRICT=1\` (CMP-21, CMP-39 to CMP-41).

${surfaceText("spot", names, probed)}
${surfaceText("usdm", names, probed)}
${fixText(names.fix, probed)}`;
}

/** The published page; empty if there is none. */
export function publishedPage(): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export function publishPage(page: string): void {
  writeFileSync(path, page);
}
