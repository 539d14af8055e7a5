// "Check my balances": the page fetches the newest statement whose entry is sealed, with the user's leaves, and checks
// every step itself. Without a log-in it checks the totals.

import { useSignal } from "@preact/signals";
import { Fragment, type VNode } from "preact";
import { bare } from "../../decimal-text.ts";
import { requestOwn, session } from "../../member/session.ts";
import { request } from "../../member/venue-api.ts";
import { storedKey } from "../../member/wallet-key.ts";
import { dayAndTime } from "../../moment.ts";
import { type CheckedStatement, checkedStatement, type StatedRow } from "../../statement-check.ts";
import { ActionForm } from "../form/action-form.tsx";
import { StepList } from "../form/step-list.tsx";
import { type Column, Table } from "../form/table.tsx";

const columns: ReadonlyArray<Column<StatedRow>> = [
  { name: "Asset", cell: ({ asset }) => asset },
  { name: "Owed to accounts", isNumber: true, cell: ({ owed }) => owed },
  { name: "Shortfall", isNumber: true, cell: ({ shortfall }) => shortfall },
  { name: "Holdings", isNumber: true, cell: ({ holdings }) => holdings },
  { name: "In flight", isNumber: true, cell: ({ inFlight }) => inFlight },
  {
    name: "Surplus",
    isNumber: true,
    cell: ({ surplus }) => surplus,
    tone: ({ surplus }) => (surplus.startsWith("-") ? "loss" : ""),
  },
];

/** The newest two statements; the entry of the newest one is seldom in a sealed epoch yet, so the other one is checked. */
const recent = "/v1/liabilities/statements?limit=2";

async function publicStatement(): Promise<unknown> {
  const { items } = await request<{ items: readonly { epoch: string }[] }>("GET", recent);
  const [, before] = items;
  return request(
    "GET",
    before === undefined ? "/v1/liabilities" : `/v1/liabilities/${before.epoch}`,
  );
}

async function check(): Promise<CheckedStatement> {
  if (session.value === null) return checkedStatement(await publicStatement(), null);
  const [document, key] = await Promise.all([requestOwn("GET", "/v1/liabilities/me"), storedKey()]);
  return checkedStatement(document, key?.publicKey ?? null);
}

/** What the check found, in words. */
function Finding({ verdict, isOwn }: CheckedStatement): VNode {
  const { isValid, balances, atMs } = verdict;
  if (!isValid) {
    return <p class="loss">Verification failed. Do not trust this statement.</p>;
  }
  // If other epochs are between the stated one and that of the entry, the document does not prove the moment.
  const when = atMs === null ? "the end of the stated epoch" : dayAndTime(atMs);
  if (!isOwn) return <p class="gain">Verified. These are the venue's totals of {when}.</p>;
  if (balances.length === 0) {
    return (
      <p>
        The totals of {when} are sound, but nothing of yours is in them: the venue stated no balance
        above zero for you. If you had one then, the statement is wrong.
      </p>
    );
  }
  return (
    <>
      <p class="gain">Verified. At {when} the venue owed you, in its totals:</p>
      <dl class="estimate wide">
        {balances.map(({ asset, amount }) => (
          <Fragment key={asset}>
            <dt>{asset}</dt>
            <dd>{bare(amount)}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="soft">
        All wallets together, with what open orders reserve and the result of positions at the mark.
        Compare it with your own records of that time.
      </p>
    </>
  );
}

function Warnings({ verdict: { deficits, unknown } }: CheckedStatement): VNode {
  return (
    <>
      {deficits.map(({ asset, amount }) => (
        <p key={asset} class="loss" role="alert">
          Deficit: the venue itself states {bare(amount)} {asset} less than it owes.
        </p>
      ))}
      {unknown.length > 0 && (
        <p class="soft">The statement leaves open what the venue holds of {unknown.join(", ")}.</p>
      )}
    </>
  );
}

function Result(result: CheckedStatement): VNode {
  const { verdict, rows, tookMs } = result;
  return (
    <section class="notice" aria-label={`Verdict: ${verdict.title}`}>
      <h3>{verdict.title.slice(0, 1).toUpperCase() + verdict.title.slice(1)}</h3>
      <Finding {...result} />
      <Warnings {...result} />
      {rows.length > 0 && (
        <Table
          label="What the venue states"
          rows={rows}
          columns={columns}
          keyOf={({ asset }) => asset}
          empty="No assets."
        />
      )}
      <h4 class="soft">Step by step, computed in this page in {Math.ceil(tookMs)} ms</h4>
      <StepList steps={verdict.steps} />
    </section>
  );
}

export function BalanceCheck(): VNode {
  const result = useSignal<CheckedStatement | null>(null);
  const isLoggedIn = session.value !== null;
  const act = async (): Promise<string> => {
    result.value = null;
    result.value = await check();
    return "";
  };
  return (
    <>
      <p class="soft">
        Each minute the venue states what it owes in each asset, and what it holds. Your browser
        checks that {isLoggedIn ? "your balances are in those totals" : "the totals add up"}, and
        that the statement is in the venue's records.
        {!isLoggedIn && " Log in to check that your own balances are in them."}
      </p>
      <ActionForm
        layout="row"
        submit={isLoggedIn ? "Check my balances" : "Check the totals"}
        act={act}
      />
      {result.value !== null && <Result {...result.value} />}
    </>
  );
}
