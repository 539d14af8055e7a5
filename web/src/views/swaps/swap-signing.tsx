// What the wallet signs for a swap: prepared by the venue, read and compared here with what was agreed, and
// signed with this browser's key only where it is that, once the user has seen it. What this browser has seen of the
// network (who settles, who issues, by which contracts) is kept, and every later transaction is held against it.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import {
  joinedNetwork,
  type KnownNetwork,
  knownNetworkIn,
  unknownNetwork,
} from "../../../../src/services/swaps/known-network.ts";
import {
  checkPrepared,
  type PreparedVerdict,
} from "../../../../src/services/swaps/prepared-check.ts";
import { secondsTo } from "../../clock.ts";
import { session } from "../../member/session.ts";
import {
  exchanged,
  executeSwap,
  type Prepared,
  prepareSwap,
  type Swap,
} from "../../member/swaps.ts";
import { signBase64, storedKey } from "../../member/wallet-key.ts";
import { sha256 } from "../../sha256.ts";
import { ActionAnswer, ActionForm, useFormAction } from "../form/action-form.tsx";
import { StepList } from "../form/step-list.tsx";

const storageName = "rialto-known-network";

/** Throws where what is kept cannot be read: then nobody knows what was known. */
function knownNetwork(): KnownNetwork {
  const text = localStorage.getItem(storageName);
  if (text === null) return unknownNetwork;
  const known = knownNetworkIn(JSON.parse(text));
  if (known === null) throw new Error("What this browser knows of the network cannot be read.");
  return known;
}

/** Throws, and keeps nothing, where another page of this browser has seen something else meanwhile. */
function keepNetwork(seen: KnownNetwork): void {
  const known = joinedNetwork(knownNetwork(), seen);
  if (known === null) {
    throw new Error(
      "Another page has seen another operator or issuer meanwhile: nothing was signed.",
    );
  }
  localStorage.setItem(storageName, JSON.stringify(known));
}

function forgetNetwork(): void {
  localStorage.removeItem(storageName);
}

interface Reading {
  readonly prepared: Prepared;
  readonly verdict: PreparedVerdict;
}

/** The transaction as text for people: as JSON where it is such, else as it came. */
function transactionText({ prepared_transaction: text }: Prepared): string {
  try {
    return JSON.stringify(JSON.parse(atob(text)), null, 2);
  } catch {
    return text;
  }
}

async function readPrepared(swap: Swap): Promise<Reading> {
  const prepared = await prepareSwap(swap.swap_id);
  const party = session.value?.partyId ?? "";
  const options = { sha256, party, known: knownNetwork(), nowMs: Date.now() };
  return { prepared, verdict: await checkPrepared(prepared, swap, options) };
}

async function signAndSend(swap: Swap, { prepared, verdict }: Reading): Promise<string> {
  const key = await storedKey();
  if (key === null) throw new Error("This browser has no key any more.");
  const hash = prepared.prepared_transaction_hash;
  keepNetwork(verdict.known);
  await executeSwap(swap.swap_id, hash, await signBase64(key, hash));
  return "Signed. The ledger has it within seconds.";
}

function Document({ reading }: { reading: Reading }): VNode {
  const { verdict, prepared } = reading;
  return (
    <>
      <StepList steps={verdict.steps} />
      <details>
        <summary>The whole transaction</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>{transactionText(prepared)}</pre>
      </details>
    </>
  );
}

interface RefusalProps {
  readonly verdict: PreparedVerdict;
  prepareAgain(): void;
}

function Refusal({ verdict, prepareAgain }: RefusalProps): VNode {
  const forget = (): void => {
    forgetNetwork();
    prepareAgain();
  };
  const why = verdict.isReadable
    ? "This is not what you agreed to. It is not signed."
    : "This page signs nothing that it cannot read.";
  return (
    <>
      <p role="alert">{why}</p>
      {!verdict.isReadable && (
        <p class="soft">A wallet that can read it may sign it. What nobody signs moves no coins.</p>
      )}
      {verdict.isOtherNetwork && (
        <p class="soft">
          If the venue has announced this change:{" "}
          <button type="button" onClick={forget}>
            Forget what this browser knows
          </button>
        </p>
      )}
    </>
  );
}

interface SignFormProps {
  readonly swap: Swap;
  readonly reading: Reading;
  prepareAgain(): void;
}

function SignForm({ swap, reading, prepareAgain }: SignFormProps): VNode {
  const action = useFormAction();
  const { verdict, prepared } = reading;
  if (!verdict.isValid) return <Refusal verdict={verdict} prepareAgain={prepareAgain} />;
  const isSigned = action.message.value !== "" && !action.isFault.value;
  const isReturn = swap.status === "releasing";
  const paid = swap.accepted === null ? "" : exchanged(swap, swap.accepted).pay;
  const seconds = Math.ceil(secondsTo(prepared.sign_before) ?? 0);
  return (
    <>
      {!isSigned && (
        <ActionForm
          submit={isReturn ? `Sign and take ${paid} back` : `Sign and lock ${paid}`}
          action={action}
          act={() => signAndSend(swap, reading)}
        >
          {!isReturn && <p class="soft">{seconds} s left to sign.</p>}
        </ActionForm>
      )}
      <ActionAnswer action={action} />
    </>
  );
}

export function SwapSigning({ swap }: { swap: Swap }): VNode | null {
  const reading = useSignal<Reading | null>(null);
  const action = useFormAction();
  const isReturn = swap.status === "releasing";
  const prepare = (): void =>
    action.run(async () => {
      reading.value = await readPrepared(swap);
      return "";
    });
  useEffect(() => {
    if (swap.status === "accepted") prepare();
  }, []);
  if (swap.status !== "accepted" && !isReturn) return null;
  const { value } = reading;
  return (
    <section class="signing" aria-label="What you sign">
      <h3>What you sign</h3>
      {value === null && action.isBusy.value && <p class="soft">Being prepared by the ledger…</p>}
      {value === null && !action.isBusy.value && (
        <button type="button" onClick={prepare}>
          {isReturn ? "Take my coins back now" : "Prepare it again"}
        </button>
      )}
      {action.isFault.value && <ActionAnswer action={action} />}
      {value !== null && (
        <>
          <Document reading={value} />
          <SignForm swap={swap} reading={value} prepareAgain={prepare} />
        </>
      )}
    </section>
  );
}
