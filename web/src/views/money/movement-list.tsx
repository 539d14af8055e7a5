// Deposits and withdrawals, newest first, each with a timeline of its stages.

import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import { type Movement, type Stage, stagesOf } from "../../member/movements.ts";
import { dayAndTime } from "../../moment.ts";
import { CopyButton } from "../form/copy-button.tsx";

const spoken: Readonly<Record<Stage["state"], string>> = {
  done: "done",
  now: "in progress",
  pending: "pending",
  failed: "failed",
};

function Timeline({ stages }: { stages: readonly Stage[] }): VNode {
  return (
    <ol class="timeline">
      {stages.map(({ name, state }) => (
        <li key={name} class={state}>
          {name}
          <span class="unseen">, {spoken[state]}</span>
        </li>
      ))}
    </ol>
  );
}

function MovementItem({ row }: { row: Movement }): VNode {
  const { amount, asset, fee, destination, update_id: update, created_at: at } = row;
  const kind = row.deposit_id === undefined ? "Withdrawal" : "Deposit";
  return (
    <li class="movement">
      <p>
        <b>
          {kind} of <span class="figure">{grouped(amount)}</span> {asset}
        </b>
        <span class="soft">{dayAndTime(at)}</span>
      </p>
      <Timeline stages={stagesOf(row)} />
      {fee !== undefined && (
        <p class="soft">
          Fee <span class="figure">{grouped(fee)}</span> {asset}, to <code>{destination}</code>
        </p>
      )}
      {update !== null && (
        <p class="soft">
          Ledger transaction <code>{update.slice(0, 16)}…</code>{" "}
          <CopyButton text={update} what="ledger transaction" />
        </p>
      )}
    </li>
  );
}

export function MovementList({ rows }: { rows: readonly Movement[] }): VNode {
  if (rows.length === 0) return <p class="empty">No deposits or withdrawals yet.</p>;
  return (
    <section class="notice" aria-label="Deposits and withdrawals">
      <ul class="movements">
        {rows.map((row) => (
          <MovementItem key={row.deposit_id ?? row.withdrawal_id} row={row} />
        ))}
      </ul>
    </section>
  );
}
