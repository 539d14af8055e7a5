// Row E7: how long a member of a venue with a hundred thousand accounts waits for the check of his balances. The venue
// states its liabilities itself; a browser logs in, and the page of the terminal gets the member's leaves and checks them.

import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { fundings, fundLoadAccount } from "../../src/tools/load/load-accounts.ts";
import { until } from "../../test/epochs/epoch-waits.ts";
import { openBrowser } from "../../test/support/client/browser.ts";
import { untilTrue } from "../../test/support/client/page-waits.ts";
import { AccountJourney, openPage } from "../../test/web/journeys/account-journey.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillVenue } from "../venue/filled-venue.ts";
import type { VenueProcess } from "../venue/venue-process.ts";

const [msMax, proofBytesMax] = [200, 4_000];
const checks = 9;
/** With two leaves for each account, each asset's tree has 2^18 leaves: a proof has one neighbour for each level. */
const [accounts, levels] = [100_000, 18];
const target = { events: 500_000, restingOrders: 1_000, accounts };
/** Short epochs, so that the row does not wait two minutes for a statement whose entry is sealed. */
const settings = { EPOCH_SECONDS: "10" };
const statementMsMax = 300_000;
/** Between loading the page and the click, as a reader would: the page has its other requests behind it. */
const restMs = 1_000;

interface Leaf {
  readonly path: readonly unknown[];
}

/** The part of `/v1/liabilities/me` that the row looks at. */
interface OwnLeaves {
  readonly assets: readonly { readonly asset: string; readonly leaves: readonly Leaf[] }[];
}

interface Check {
  readonly shownMs: number;
  /** What the page says that it took to compute, without request and rendering; rounded up. */
  readonly computedMs: number;
  readonly document: OwnLeaves;
}

/** Notes the times of the click and of the frame that shows the verdict. */
const observe = `
  addEventListener("click", ({ timeStamp }) => { window.clickedMs = timeStamp; }, { capture: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('section[aria-label^="Verdict: "]') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.shownMs = performance.now(); }));
  }).observe(document.body, { childList: true, subtree: true });`;

/** Gives the newest user money of every asset and waits until a statement has it, whose entry is sealed. */
async function stated(sql: Sql, { dataDir }: VenueProcess): Promise<void> {
  const [user] = await sql<{ account: string }[]>`
    select account::text from wallet_users order by created_us desc limit 1`;
  await fundLoadAccount(dataDir, Number(user?.account), fundings);
  const [head] = await sql<{ last_seq: string }[]>`select last_seq::text from journal_head`;
  const isStated = async () => {
    const [row] = await sql<{ is_so: boolean }[]>`
      select exists (
        select from liability_statements
        where stated_seq >= ${head?.last_seq ?? "0"}::bigint
          and entry_seq <= (select max(last_seq) from epochs)) as is_so`;
    return row?.is_so ? true : null;
  };
  await until("a statement with the member's money", isStated, statementMsMax);
}

/** One check in a page that was just loaded, with the first click in it. */
async function checkOnce(page: Page): Promise<Check> {
  await page.reload();
  const button = page.getByRole("button", { name: "Check my balances" });
  await button.waitFor();
  await sleep(restMs);
  await page.evaluate(observe);
  const answer = page.waitForResponse("**/v1/liabilities/me");
  await button.click();
  const document = (await (await answer).json()) as OwnLeaves;
  await untilTrue(page, "window.shownMs !== undefined");
  const shownMs = (await page.evaluate("window.shownMs - window.clickedMs")) as number;
  const verdict = page.getByRole("region", { name: /^Verdict: / });
  const text = (await verdict.textContent()) ?? "";
  if (!/Verified\. At .+ the venue owed you/.test(text))
    throw new Error(`the page did not verify the statement: ${text}`);
  const computedMs = Number(/computed in this page in (\d+) ms/.exec(text)?.[1]);
  return { shownMs, computedMs, document };
}

/** The size in bytes of each leaf with its path, as it was sent; throws unless the document is that of a whole tree. */
function proofBytes({ assets }: OwnLeaves): number[] {
  const leaves = assets.flatMap((asset) => asset.leaves);
  const isWhole = leaves.every(({ path }) => path.length === levels);
  if (assets.length !== fundings.length || leaves.length !== 2 * assets.length || !isWhole)
    throw new Error(`not two leaves of ${levels} levels for each of ${fundings.length} assets`);
  return leaves.map((leaf) => Buffer.byteLength(JSON.stringify(leaf)));
}

async function checksOf(bench: Bench, venue: VenueProcess): Promise<Check[]> {
  const browser = await openBrowser();
  const sql = openPostgres(await venue.database(), "queries");
  try {
    const page = await openPage(browser);
    const { host, port } = venue.endpoint;
    const member = new AccountJourney(page, `http://${host}:${port}`);
    await member.logIn();
    bench.say("the venue states its liabilities");
    await stated(sql, venue);
    await member.open("chain");
    const done: Check[] = [];
    for (let turn = 0; turn < checks; turn++) {
      done.push(await checkOnce(page));
      bench.say(`check ${turn + 1}: ${shortNumber(done.at(-1)?.shownMs ?? 0)} ms`);
    }
    return done;
  } finally {
    await sql.end();
    await browser.close();
  }
}

async function checking(bench: Bench): Promise<Reading> {
  const { dataDir } = await fillVenue(bench, 1, target, settings);
  const venue = await bench.stage.startVenue(dataDir, settings);
  const done = await checksOf(bench, venue);
  await venue.stop();
  const shown = done.map(({ shownMs }) => shownMs);
  const bytes = Math.max(...done.flatMap(({ document }) => proofBytes(document)));
  const { score, passed } = atMost(median(shown), msMax);
  return {
    measured: `${shortNumber(score)} ms; largest proof ${shortNumber(bytes)} B`,
    baseline: "",
    score,
    passed: passed && bytes <= proofBytesMax,
    figures: {
      "ms from click to verdict": score,
      "longest ms": Math.max(...shown),
      "ms of computing": median(done.map(({ computedMs }) => computedMs)),
      "bytes of the largest proof": bytes,
      "bytes of a member's document": Math.max(
        ...done.map(({ document }) => Buffer.byteLength(JSON.stringify(document))),
      ),
      accounts,
    },
    notes: [
      `median of ${checks} checks, each the first of a page that was just loaded; with the request and the frame that shows the verdict`,
      `${fundings.length} assets, two leaves of each, ${levels} levels; a statement each ${settings.EPOCH_SECONDS} s meanwhile`,
    ],
  };
}

export const balanceCheckRows: readonly BenchRow[] = [
  {
    id: "E7",
    measure: "a member's check in the page: 100,000 accounts, 2^18 leaves an asset",
    goal: `≤ ${msMax} ms, no proof larger than 4 kB`,
    run: checking,
  },
];
