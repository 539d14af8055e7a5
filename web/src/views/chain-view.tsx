// Epochs, and the verification of an order, trade or journal entry: the page fetches the proof and checks every
// step itself, with the browser's SHA-256.

import { useSignal } from "@preact/signals";
import { Fragment, type VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Verdict, verifyDocument } from "../../../src/services/epochs/proof-verifier.ts";
import { requestOwn, session } from "../member/session.ts";
import { request, VenueFault } from "../member/venue-api.ts";
import { dayAndTime, timeOfDay } from "../moment.ts";
import { proofQuery } from "../proof-reference.ts";
import { type ProvedSubject, provedSubject } from "../proof-words.ts";
import { route } from "../route.ts";
import { sha256 } from "../sha256.ts";
import { ActionAnswer, ActionForm, useFormAction } from "./form/action-form.tsx";
import { bound, TextField } from "./form/field.tsx";
import { useReloaded } from "./form/reloaded.ts";
import { StepList } from "./form/step-list.tsx";
import { type Column, Table } from "./form/table.tsx";
import { BalanceCheck } from "./proofs/balance-check.tsx";

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

/** A proof that was checked. */
interface Checked {
  readonly verdict: Verdict;
  readonly subject: ProvedSubject;
}

/** What was proved, in words; only of a valid proof, because only then are these the recorded fields. */
function Subject({ subject: { atMs, facts } }: { subject: ProvedSubject }): VNode {
  return (
    <>
      <dl class="estimate wide">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
        <dt>Recorded</dt>
        <dd>{dayAndTime(atMs)}</dd>
      </dl>
      {facts.length === 0 && (
        <p class="soft">
          Its content is private: the public proof has only its hash. Its owner sees market, side,
          price and quantity here after logging in.
        </p>
      )}
    </>
  );
}

function Steps({ verdict, subject }: Checked): VNode {
  const isOpen = verdict.steps.some((step) => step.isOpen);
  const rest = isOpen ? " Everything up to the root of the epoch; the ledger was not read." : "";
  return (
    <section class="notice" aria-label={`Verdict: ${verdict.title}`}>
      <h3>{verdict.isValid ? subject.title : verdict.title}</h3>
      {verdict.isValid && <Subject subject={subject} />}
      <p class={verdict.isValid ? "gain" : "loss"}>
        {verdict.isValid ? `Verified.${rest}` : "Verification failed. Do not trust this proof."}
      </p>
      <h4 class="soft">{verdict.title}, step by step</h4>
      <StepList steps={verdict.steps} />
    </section>
  );
}

/** Pause between two looks for a proof whose epoch is not sealed yet. */
const sealMs = 2_000;
/** How long to look: the venue seals an epoch every minute, and a busy one needs some time for it. */
const sealWaitMs = 180_000;

const notSealed = "not found in a sealed epoch";

function isEarly(fault: unknown): boolean {
  return fault instanceof VenueFault && fault.message.includes(notSealed);
}

/** Waits; rejects as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, ms);
    signal.addEventListener("abort", () => reject(new Error("")));
  });
}

/** The owner's proof with its content or, for a subject of others, the public one. */
async function fetchProof(query: string): Promise<unknown> {
  const open = () => request("GET", `/v1/chain/proof?${query}`);
  if (session.value === null) return open();
  return requestOwn("GET", `/v1/chain/proof/me?${query}`).catch((fault: unknown) => {
    if (isEarly(fault)) return open();
    throw fault;
  });
}

async function checked(document: unknown): Promise<Checked[]> {
  const verdicts = await verifyDocument(document, { sha256 });
  const { proofs = [] } = document as { readonly proofs?: readonly unknown[] };
  const all = verdicts.map((verdict, index) => ({
    verdict,
    subject: provedSubject(proofs[index]),
  }));
  // The reader's own side of a trade first; the others say what the taker did.
  return all.sort((one, other) => Number(other.subject.isOwn) - Number(one.subject.isOwn));
}

/** Looks for a proof again and again, until its epoch is sealed. */
async function awaitedProof(query: string, signal: AbortSignal): Promise<unknown> {
  for (const untilMs = Date.now() + sealWaitMs; ; ) {
    await pause(sealMs, signal);
    try {
      return await fetchProof(query);
    } catch (fault) {
      if (!isEarly(fault) || Date.now() > untilMs) throw fault;
    }
  }
}

/** The form, which verifies the subject of the page's address at once. A new request replaces one that still waits. */
function ProofForm({ subject }: { subject: string }): VNode {
  const reference = useSignal(subject);
  const results = useSignal<readonly Checked[]>([]);
  const waiting = useSignal("");
  const running = useRef<AbortController | null>(null);
  const action = useFormAction();
  const wait = async (query: string, signal: AbortSignal): Promise<void> => {
    try {
      const found = await checked(await awaitedProof(query, signal));
      if (!signal.aborted) results.value = found;
    } catch (fault) {
      if (!signal.aborted) action.run(() => Promise.reject(fault));
    }
    if (!signal.aborted) waiting.value = "";
  };
  const verify = async (): Promise<string> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    results.value = [];
    waiting.value = "";
    const asked = reference.value.trim();
    const query = proofQuery(asked);
    if (query === null) {
      throw new Error("Enter a journal entry such as 57, an order such as o-12, or a trade: t-3");
    }
    try {
      const found = await checked(await fetchProof(query));
      if (!controller.signal.aborted) results.value = found;
    } catch (fault) {
      if (!isEarly(fault)) throw fault;
      waiting.value = asked;
      void wait(query, controller.signal);
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
      {waiting.value !== "" && (
        <p role="status">
          {waiting.value} is not sealed yet: the venue seals its records every minute. The proof is
          checked as soon as it exists.
        </p>
      )}
      {results.value.map((result, index) => (
        <Steps key={index} {...result} />
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
      <h2>Your balances in the venue's liabilities</h2>
      <BalanceCheck />
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
