// Signing of a swap: the venue prepares the transaction, this page compares it with the agreed terms, shows it, and
// signs it with the browser's key only if it matches. The page remembers the network's operator, issuers and
// contracts, and checks every later transaction against them.

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

/** Returns the saved network details. Throws if they cannot be read. */
function knownNetwork(): KnownNetwork {
  const text = localStorage.getItem(storageName);
  if (text === null) return unknownNetwork;
  const known = knownNetworkIn(JSON.parse(text));
  if (known === null)
    throw new Error(
      "The network details saved in this browser cannot be read. Nothing was signed.",
    );
  return known;
}

/** Saves network details. Throws, and saves nothing, if another tab has saved different details meanwhile. */
function keepNetwork(seen: KnownNetwork): void {
  const known = joinedNetwork(knownNetwork(), seen);
  if (known === null) {
    throw new Error("Another tab has saved a different operator or issuer. Nothing was signed.");
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

/** Returns the transaction as readable text: indented if it is JSON, else unchanged. */
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
  if (key === null) throw new Error("Your key is no longer stored in this browser.");
  const hash = prepared.prepared_transaction_hash;
  keepNetwork(verdict.known);
  await executeSwap(swap.swap_id, hash, await signBase64(key, hash));
  return "Signed and sent. The ledger processes it within seconds.";
}

function Document({ reading }: { reading: Reading }): VNode {
  const { verdict, prepared } = reading;
  return (
    <>
      <StepList steps={verdict.steps} />
      <details>
        <summary>Full transaction</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
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
    ? "This transaction does not match the swap. It was not signed."
    : "This page cannot read the transaction and does not sign it.";
  return (
    <>
      <p role="alert">{why}</p>
      {!verdict.isReadable && (
        <p class="soft">Sign with a wallet that can read it. Without a signature no funds move.</p>
      )}
      {verdict.isOtherNetwork && (
        <p class="soft">
          If the venue has announced this change:{" "}
          <button type="button" onClick={forget}>
            Reset the saved network details
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
          submit={isReturn ? `Sign and reclaim ${paid}` : `Sign and lock ${paid}`}
          action={action}
          act={() => signAndSend(swap, reading)}
        >
          {!isReturn && <p class="soft">Time left to sign: {seconds} s</p>}
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
    <section class="signing" aria-label="Transaction to sign">
      <h3>Transaction to sign</h3>
      {value === null && action.isBusy.value && <p class="soft">Preparing the transaction…</p>}
      {value === null && !action.isBusy.value && (
        <button type="button" onClick={prepare}>
          {isReturn ? "Reclaim my funds now" : "Prepare again"}
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
