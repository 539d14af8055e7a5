// Epochs, and the verification of an order, trade or journal entry: the page fetches the proof and checks every
// step itself, with the browser's SHA-256.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { type Verdict, verifyDocument } from "../../../src/services/epochs/proof-verifier.ts";
import { requestOwn, session } from "../member/session.ts";
import { request } from "../member/venue-api.ts";
import { timeOfDay } from "../moment.ts";
import { proofReference } from "../proof-reference.ts";
import { route } from "../route.ts";
import { sha256 } from "../sha256.ts";
import { ActionForm } from "./form/action-form.tsx";
import { bound, TextField } from "./form/field.tsx";
import { useReloaded } from "./form/reloaded.ts";
import { StepList } from "./form/step-list.tsx";
import { type Column, Table } from "./form/table.tsx";

interface Status {
  readonly head_epoch: string | null;
  readonly last_confirmed_epoch: string | null;
  readonly lag_seconds: number | null;
  readonly pending: number;
  readonly head_root: string | null;
}

interface Epoch {
  readonly epoch: string;
  readonly root: string;
  readonly journal_count: string;
  readonly fill_count: string;
  readonly end_ms: string;
  readonly anchor: { readonly status: string };
}

const refreshMs = 5000;

/**
 * Converts the typed text to the query of a proof. The text is a seq, or an order or trade by its number or by its id
 * in the lists.
 */
function queryOf(text: string): string {
  if (/^\d+$/.test(text)) return `seq=${text}`;
  return `ref_id=${encodeURIComponent(proofReference(text) ?? text)}`;
}

function Steps({ verdict }: { verdict: Verdict }): VNode {
  return (
    <section class="notice" aria-label="Verdict">
      <h3>{verdict.title}</h3>
      <StepList steps={verdict.steps} />
      <p class={verdict.isValid ? "gain" : "loss"}>
        {verdict.isValid ? "Verified." : "Verification failed."}
      </p>
    </section>
  );
}

function ProofForm({ subject }: { subject: string }): VNode {
  const reference = useSignal(subject);
  const verdicts = useSignal<readonly Verdict[]>([]);
  const verify = async (): Promise<string> => {
    verdicts.value = [];
    if (reference.value.trim() === "") throw new Error("Enter a journal entry, order or trade");
    const query = queryOf(reference.value.trim());
    const document = await (session.value === null
      ? request("GET", `/v1/chain/proof?${query}`)
      : requestOwn("GET", `/v1/chain/proof/me?${query}`));
    verdicts.value = await verifyDocument(document, { sha256 });
    return "";
  };
  return (
    <>
      <ActionForm layout="row" submit="Verify" act={verify}>
        <TextField label="Journal entry (57), order (o-12) or trade (t-3)" {...bound(reference)} />
      </ActionForm>
      {verdicts.value.map((verdict, index) => (
        <Steps key={index} verdict={verdict} />
      ))}
    </>
  );
}

const columns: ReadonlyArray<Column<Epoch>> = [
  { name: "Epoch", cell: ({ epoch }) => epoch },
  { name: "Entries", isNumber: true, cell: ({ journal_count: count }) => count },
  { name: "Fills", isNumber: true, cell: ({ fill_count: count }) => count },
  { name: "Closed at", cell: ({ end_ms: ms }) => timeOfDay(Number(ms)) },
  { name: "Ledger status", cell: ({ anchor }) => anchor.status },
  { name: "Root", cell: ({ root }) => <code>{root.slice(0, 20)}…</code> },
];

function StatusLine({ status }: { status: Status | null }): VNode {
  if (status?.head_epoch == null) return <p>No epochs yet. The venue seals one every minute.</p>;
  const { head_epoch: head, last_confirmed_epoch: confirmed, lag_seconds: lag } = status;
  return (
    <p>
      Latest epoch <b>{head}</b>, confirmed on the ledger up to <b>{confirmed ?? "none"}</b>
      {lag !== null && `, ${lag} s behind`}.
    </p>
  );
}

export function ChainView(): VNode {
  const status = useSignal<Status | null>(null);
  const epochs = useSignal<readonly Epoch[]>([]);
  const fault = useReloaded(async () => {
    status.value = await request<Status>("GET", "/v1/chain/status");
    epochs.value = (await request<{ items: Epoch[] }>("GET", "/v1/chain/epochs?limit=20")).items;
  }, refreshMs);
  return (
    <div class="page">
      <h1>Proofs</h1>
      <p class="soft">
        Every minute the venue publishes a commitment to everything it recorded. Verify an order or
        trade here without trusting the venue: your browser checks every step.
      </p>
      <StatusLine status={status.value} />
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      <h2>Verify an order or trade</h2>
      <ProofForm key={route.value.subject} subject={route.value.subject} />
      <h2>Epochs</h2>
      <Table
        label="Epochs"
        rows={epochs.value}
        columns={columns}
        keyOf={({ epoch }) => epoch}
        empty="No epochs yet."
      />
    </div>
  );
}
