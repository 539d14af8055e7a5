// Epochs, and the verification of an order, trade or journal entry: the page fetches the proof and checks every
// step itself, with the browser's SHA-256.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Verdict, verifyDocument } from "../../../src/services/epochs/proof-verifier.ts";
import { requestOwn, session } from "../member/session.ts";
import { request, VenueFault } from "../member/venue-api.ts";
import { timeOfDay } from "../moment.ts";
import { proofReference } from "../proof-reference.ts";
import { route } from "../route.ts";
import { sha256 } from "../sha256.ts";
import { ActionAnswer, ActionForm, useFormAction } from "./form/action-form.tsx";
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
    <section class="notice" aria-label={`Verdict: ${verdict.title}`}>
      <h3>{verdict.title}</h3>
      <StepList steps={verdict.steps} />
      <p class={verdict.isValid ? "gain" : "loss"}>
        {verdict.isValid ? "Verified." : "Verification failed."}
      </p>
    </section>
  );
}

/** Pause between two looks for a proof whose epoch is not sealed yet. */
const sealMs = 2_000;
/** How long to look: the venue seals an epoch every minute, and a busy one needs some time for it. */
const sealWaitMs = 180_000;

const notSealed = "not found in a sealed epoch";

/** Waits; rejects as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, ms);
    signal.addEventListener("abort", () => reject(new Error("")));
  });
}

function fetchProof(reference: string): Promise<unknown> {
  const query = queryOf(reference);
  return session.value === null
    ? request("GET", `/v1/chain/proof?${query}`)
    : requestOwn("GET", `/v1/chain/proof/me?${query}`);
}

/** Fetches a proof. If its epoch is not sealed yet, says so by `onWait` and looks again. */
async function awaitedProof(
  reference: string,
  signal: AbortSignal,
  onWait: () => void,
): Promise<unknown> {
  for (const untilMs = Date.now() + sealWaitMs; ; ) {
    try {
      return await fetchProof(reference);
    } catch (fault) {
      const isEarly = fault instanceof VenueFault && fault.message.includes(notSealed);
      if (!isEarly || Date.now() > untilMs) throw fault;
      onWait();
      await pause(sealMs, signal);
    }
  }
}

/** The form, which verifies the subject of the page's address at once. */
function ProofForm({ subject }: { subject: string }): VNode {
  const reference = useSignal(subject);
  const verdicts = useSignal<readonly Verdict[]>([]);
  const isWaiting = useSignal(false);
  const running = useRef<AbortController | null>(null);
  const action = useFormAction();
  const verify = async (): Promise<string> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    verdicts.value = [];
    const asked = reference.value.trim();
    if (asked === "") throw new Error("Enter a journal entry, order or trade");
    try {
      const document = await awaitedProof(asked, controller.signal, () => {
        isWaiting.value = true;
      });
      verdicts.value = await verifyDocument(document, { sha256 });
    } finally {
      isWaiting.value = false;
    }
    return "";
  };
  useEffect(() => {
    if (subject !== "") action.run(verify);
    return () => running.current?.abort();
  }, []);
  return (
    <>
      <ActionForm layout="row" submit="Verify" action={action} act={verify}>
        <TextField label="Journal entry (57), order (o-12) or trade (t-3)" {...bound(reference)} />
      </ActionForm>
      <ActionAnswer action={action} />
      {isWaiting.value && (
        <p role="status">
          Not sealed yet: the venue seals its records every minute. The proof is checked as soon as
          it exists.
        </p>
      )}
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
