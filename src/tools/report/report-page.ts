// The report as one page of HTML that needs nothing from elsewhere: what is wrong first, then each account with its figures,
// charts and tables. It shows what the report's JSON has, and computes nothing of its own.

import { accountSection } from "./account-section.ts";
import { Html, html, type Shown } from "./page-parts.ts";
import { pageStyle } from "./page-style.ts";
import type { Finding, Report, Severity } from "./report-form.ts";

const names: Readonly<Record<Severity, readonly [one: string, many: string]>> = {
  error: ["error", "errors"],
  warning: ["warning", "warnings"],
  note: ["note", "notes"],
};
/** Findings of one kind about one account that are in sight at once; the others open under them. */
const findingsInSight = 3;
/** Findings of one kind about one account that are on the page; of more, the count. */
const findingsShown = 200;
/** Orders that a finding names on the page. */
const ordersShown = 20;

export function reportPage(report: Report): string {
  const { window, accounts, venue, log } = report;
  const count = accounts.length;
  const span =
    window.from === null
      ? "No events"
      : `${timeText(window.from)} to ${timeText(window.to ?? "")} UTC, market time`;
  const about = [
    span,
    `${window.events.toLocaleString("en-US")} events`,
    `${count} ${count === 1 ? "account" : "accounts"}`,
    ...(report.more_accounts > 0 ? [`${report.more_accounts} more accounts are left out`] : []),
  ].join(" · ");
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${titleOf(report)}</title><style>${new Html(pageStyle)}</style></head><body><main>
<h1>${titleOf(report)}</h1><p class="about">${about}</p>
${verdict(report.findings)}${findingList(report.findings)}
${accounts.map(accountSection)}
<footer><p>Events ${window.from_seq} to ${window.to_seq} of the journal, and ${log.lines.toLocaleString("en-US")} lines of the fault
proxy's log${log.unread > 0 ? `, of which ${log.unread} could not be read` : ""}${log.is_cut ? "; an older part of the log is gone, and what it told" : ""}.
Rialto ${venue.version}, ${timeText(report.made_at)} UTC. The same figures as JSON: <code>rialto report --json</code>.</p></footer>
</main></body></html>
`;
  return page.text;
}

function titleOf({ accounts }: Report): string {
  const [only] = accounts;
  return accounts.length === 1 && only !== undefined
    ? `Run report: account ${only.account}`
    : "Run report";
}

function verdict(findings: readonly Finding[]): Html {
  const counts = (["error", "warning", "note"] as const).flatMap((severity): Shown[] => {
    const count = findings.filter((one) => one.severity === severity).length;
    if (count === 0) return [];
    return [html`<li class="${severity}">${count} ${names[severity][count === 1 ? 0 : 1]}</li>`];
  });
  const isGood = !findings.some(({ severity }) => severity !== "note");
  return html`<ul class="verdict">${isGood ? html`<li>Nothing wrong was found</li>` : null}${counts}</ul>`;
}

function findingList(findings: readonly Finding[]): Html | null {
  if (findings.length === 0) return null;
  return html`<ol class="findings">${groupsOf(findings).map(findingGroup)}</ol>`;
}

/** Neighbours of one kind about one account: many of a kind must not hide the next kind. */
function groupsOf(findings: readonly Finding[]): Finding[][] {
  const groups: Finding[][] = [];
  for (const finding of findings) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isSame =
      first?.kind === finding.kind &&
      first.account === finding.account &&
      first.severity === finding.severity;
    if (group !== undefined && isSame) group.push(finding);
    else groups.push([finding]);
  }
  return groups;
}

function findingGroup(group: readonly Finding[]): Html {
  const inSight = group.slice(0, findingsInSight).map(findingItem);
  const [first] = group;
  const count = group.length - findingsInSight;
  if (first === undefined || count <= 0) return html`${inSight}`;
  const leftOut = group.length - findingsShown;
  return html`${inSight}<li class="${first.severity}"><details><summary>${count} more of this kind</summary>
<ol class="findings">${group.slice(findingsInSight, findingsShown).map(findingItem)}</ol>
${leftOut > 0 ? html`<p class="rest">${leftOut} more are left out.</p>` : null}</details></li>`;
}

function findingItem({ severity, account, market, orders, text }: Finding): Html {
  const named = orders.slice(0, ordersShown).join(", ");
  const more = orders.length > ordersShown ? ` and ${orders.length - ordersShown} more` : "";
  const details = [
    ...(account > 0 ? [`Account ${account}`] : []),
    ...(market === null ? [] : [market]),
    ...(orders.length > 0 ? [`${orders.length === 1 ? "order" : "orders"} ${named}${more}`] : []),
  ].join(" · ");
  return html`<li class="${severity}"><p><b>${severity}</b>${text}</p>${details === "" ? null : html`<p>${details}</p>`}</li>`;
}

function timeText(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}
