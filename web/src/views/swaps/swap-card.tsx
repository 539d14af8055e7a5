// One swap from request to end: the quotes as they arrive, the accepted quote, and every step with the journal
// entry that proves it.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { secondsTo } from "../../clock.ts";
import { refreshAccount } from "../../member/account.ts";
import { freeForSwap } from "../../member/swap-funds.ts";
import {
  acceptQuote,
  cancelSwap,
  exchanged,
  isOver,
  missingFor,
  noteSwap,
  type Quote,
  readSwap,
  requestText,
  type Swap,
  type SwapHead,
  type SwapMove,
  stageOf,
  stages,
  stateName,
  stateSentence,
} from "../../member/swaps.ts";
import { timeOfDay } from "../../moment.ts";
import { addressOf } from "../../route.ts";
import { ActionAnswer, useFormAction } from "../form/action-form.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { type Column, Table } from "../form/table.tsx";
import { SwapSigning } from "./swap-signing.tsx";

const refreshMs = 400;

/** Shows a party in short form: its hint and part of its fingerprint. */
function PartyName({ party }: { party: string }): VNode {
  const [hint = "", fingerprint = ""] = party.split("::");
  return (
    <span class="party" title={party}>
      {hint} <code>{fingerprint.slice(4, 12)}</code>
    </span>
  );
}

/** Shows the seconds left until a time. */
function Left({ until }: { until: string | null }): VNode {
  const seconds = secondsTo(until);
  if (seconds === null) return <>–</>;
  return seconds === 0 ? <span class="soft">expired</span> : <>{Math.ceil(seconds)} s</>;
}

interface PartProps {
  readonly swap: Swap;
  readonly shown: Signal<Swap | null>;
}

function Quotes({ swap, shown }: PartProps): VNode | null {
  const action = useFormAction();
  const free = freeForSwap(swap);
  const accept = ({ quote_id: id }: Quote) =>
    action.run(async () => {
      shown.value = await acceptQuote(swap.swap_id, id);
      return "";
    });
  const cancel = () =>
    action.run(async () => {
      shown.value = await cancelSwap(swap.swap_id);
      return "";
    });
  const columns: ReadonlyArray<Column<Quote>> = [
    {
      name: "Price",
      cell: ({ price, provider_party: party }) => (
        <>
          {price}
          <PartyName party={party} />
        </>
      ),
    },
    {
      name: "You pay / receive",
      isNumber: true,
      cell: (quote) => (
        <>
          {exchanged(swap, quote).pay}
          <br />
          {exchanged(swap, quote).get}
        </>
      ),
    },
    {
      name: "Expires in",
      isNumber: true,
      cell: ({ valid_until: until }) => <Left until={until} />,
    },
    {
      name: "",
      cell: (quote) => (
        <button
          type="button"
          class="primary"
          aria-label={`Accept ${quote.price}`}
          disabled={
            action.isBusy.value ||
            secondsTo(quote.valid_until) === 0 ||
            missingFor(swap, quote, free) !== null
          }
          onClick={() => accept(quote)}
        >
          Accept
        </button>
      ),
    },
  ];
  const callOff = (
    <button type="button" class="quiet" disabled={action.isBusy.value} onClick={cancel}>
      Cancel
    </button>
  );
  if (swap.status === "accepted") {
    return (
      <>
        <ActionAnswer action={action} />
        {callOff}
      </>
    );
  }
  if (swap.status !== "requested" && swap.status !== "quoted") return null;
  return (
    <>
      <Table
        label="Quotes"
        rows={swap.quotes}
        columns={columns}
        keyOf={({ quote_id: id }) => id}
        empty="No quotes yet."
      />
      <Shortage swap={swap} free={free} />
      <ActionAnswer action={action} />
      {callOff}
    </>
  );
}

/** Says why no quote can be accepted, if what the account has on the ledger is known and too little. */
function Shortage({ swap, free }: { swap: SwapHead & Pick<Swap, "quotes">; free: string | null }) {
  const [best] = swap.quotes;
  const missing = best === undefined ? null : missingFor(swap, best, free);
  if (missing === null) return null;
  return (
    <p role="alert">
      You need {missing.needed} {missing.asset} and have {missing.free}. Get more first, then
      request new quotes.
    </p>
  );
}

function Terms({ swap }: { swap: Swap }): VNode | null {
  const { accepted, update_id: update } = swap;
  if (accepted === null) return null;
  const { pay, get } = exchanged(swap, accepted);
  return (
    <dl class="terms">
      <dt>You pay</dt>
      <dd>{pay}</dd>
      <dt>You receive</dt>
      <dd>{get}</dd>
      <dt>Price</dt>
      <dd>{accepted.price}</dd>
      <dt>Provider</dt>
      <dd>
        <code>{accepted.provider_party}</code>
      </dd>
      {update !== null && (
        <>
          <dt>Ledger transaction</dt>
          <dd>
            <code>{update}</code>
          </dd>
        </>
      )}
    </dl>
  );
}

function Stages({ swap }: { swap: Swap }): VNode {
  const reached = stageOf(swap);
  return (
    <ol class="stages" aria-label="Progress">
      {stages.map((name, at) => (
        <li key={name} class={at <= reached ? "done" : ""}>
          {name}
          <span class="unseen">{at <= reached ? ", done" : ", pending"}</span>
        </li>
      ))}
    </ol>
  );
}

const moveColumns: ReadonlyArray<Column<SwapMove>> = [
  { name: "Time", cell: ({ at }) => timeOfDay(at) },
  {
    name: "Step",
    cell: ({ to, reason }) => stateName(to) + (reason === null ? "" : `: ${stateName(reason)}`),
  },
  {
    name: "Journal entry",
    isNumber: true,
    cell: ({ seq }) => (seq === null ? "–" : <a href={addressOf("chain", seq)}>{seq}</a>),
  },
];

export function SwapCard({ swapId }: { swapId: string }): VNode {
  const shown = useSignal<Swap | null>(null);
  const fault = useReloaded(async () => {
    // A swap that has ended needs no further reading once its last step is in the journal.
    const { value } = shown;
    const isWhole = value !== null && isOver(value) && value.moves.at(-1)?.seq !== null;
    if (!isWhole) shown.value = await readSwap(swapId);
  }, refreshMs);
  // The list and the balances are read more slowly; right after a step they must not contradict this card.
  const status = shown.value?.status;
  useEffect(() => {
    if (shown.value === null) return;
    noteSwap(shown.value);
    refreshAccount();
  }, [status]);
  const { value: swap } = shown;
  if (swap === null) return <p class="empty">{fault.value === "" ? "Loading…" : fault.value}</p>;
  const seconds = isOver(swap) ? null : secondsTo(swap.ends_at);
  return (
    <section class="notice swap-card" aria-label="Swap details">
      <h2>{requestText(swap)}</h2>
      <Stages swap={swap} />
      <p class="state" role="status">
        {stateSentence(swap)}
      </p>
      {seconds !== null && <p class="soft">Time left for this step: {Math.ceil(seconds)} s</p>}
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      <Quotes swap={swap} shown={shown} />
      <SwapSigning key={swap.status} swap={swap} />
      <Terms swap={swap} />
      <Table
        label="Steps"
        rows={swap.moves}
        columns={moveColumns}
        keyOf={({ move_no: number }) => number}
        empty="No steps yet."
      />
    </section>
  );
}
