// Swaps with liquidity providers: the request form, the selected swap, and all earlier swaps.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { amountFault } from "../../entered-number.ts";
import { heldBy } from "../../history/party-holdings.ts";
import { givenTo, testFunds } from "../../history/test-funds.ts";
import { markets } from "../../markets/markets.ts";
import { balances } from "../../member/account.ts";
import { enrollment, readEnrollment } from "../../member/enrollment.ts";
import { movements } from "../../member/movements.ts";
import { session } from "../../member/session.ts";
import {
  readSwaps,
  requestSwap,
  requestText,
  type SwapHead,
  stateName,
  swaps,
} from "../../member/swaps.ts";
import { dayAndTime } from "../../moment.ts";
import { addressOf, route } from "../../route.ts";
import { ActionForm } from "../form/action-form.tsx";
import { Choice } from "../form/choice.tsx";
import { bound, Field, Select } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { type Column, Table } from "../form/table.tsx";
import { SwapCard } from "./swap-card.tsx";

const refreshMs = 3_000;

/** Shows the balance that pays for swaps, if the venue can read it. */
function PaidFrom({ assets }: { assets: readonly string[] }): VNode {
  useReloaded(readEnrollment, refreshMs);
  if (enrollment.value?.status !== "active") {
    const party = session.value?.partyId ?? "";
    const given = givenTo(party);
    const known = { funds: testFunds.value, movements: movements.value, swaps: swaps.value ?? [] };
    const held = heldBy(party, known);
    const isKnown = held !== null && held.length > 0;
    return (
      <p class="soft">
        Swaps are paid from your own party on the ledger, not from your venue wallets. The venue
        looks at its balance when you accept a quote, and shows it here once you trade from that
        party. {isKnown && `Held after your swaps, as far as this page knows: ${held.join(", ")}. `}
        {held === null && given.length > 0 && `Test funds received: ${given.join(", ")}. `}
        On a development venue, get test funds for it under <a href={addressOf("wallet")}>Wallet</a>
        .
      </p>
    );
  }
  const free = assets.map((asset) => {
    const own = balances.value.find((held) => held.wallet === "spot" && held.asset === asset);
    return `${own?.free ?? "0"} ${asset}`;
  });
  return <p class="soft">Available on the ledger: {free.join(" and ")}</p>;
}

function RequestForm(): VNode {
  const spots = markets.value.filter(({ isPerpetual, isTrading }) => !isPerpetual && isTrading);
  const pair = useSignal(spots[0]?.symbol ?? "CC-USDC");
  const side = useSignal<"BUY" | "SELL">("BUY");
  const amount = useSignal("");
  const unit = useSignal("");
  const [base = "", quote = ""] = pair.value.split("-");
  const isBase = unit.value !== quote;
  const send = async (): Promise<string> => {
    const fault = amountFault(amount.value);
    if (fault !== null) throw new Error(fault);
    const asked = { pair: pair.value, side: side.value, isBase, amount: amount.value };
    const swap = await requestSwap(asked);
    amount.value = "";
    void readSwaps().catch(() => undefined);
    location.hash = addressOf("swaps", swap.swap_id);
    return "";
  };
  return (
    <ActionForm layout="swap" submit="Request quotes" act={send}>
      <Select label="Pair" options={spots.map(({ symbol }) => symbol)} {...bound(pair)} />
      <Choice
        label="Side"
        options={[
          ["BUY", `Buy ${base}`],
          ["SELL", `Sell ${base}`],
        ]}
        value={side.value}
        onChoose={(next) => {
          side.value = next;
        }}
      />
      <Field label="Amount" {...bound(amount)} />
      <Select
        label="Amount in"
        options={[base, quote]}
        {...bound(unit)}
        value={isBase ? base : quote}
      />
      <PaidFrom assets={[base, quote]} />
    </ActionForm>
  );
}

const columns: ReadonlyArray<Column<SwapHead>> = [
  { name: "Time", cell: ({ created_at: time }) => dayAndTime(time) },
  {
    name: "Swap",
    cell: (swap) => <a href={addressOf("swaps", swap.swap_id)}>{requestText(swap)}</a>,
  },
  { name: "Price", isNumber: true, cell: ({ accepted }) => accepted?.price ?? "–" },
  { name: "Status", cell: ({ status }) => stateName(status) },
];

function SwapList(): VNode {
  const fault = useReloaded(readSwaps, refreshMs);
  return (
    <>
      <h2>Your swaps</h2>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      <Table
        label="Your swaps"
        rows={swaps.value ?? []}
        columns={columns}
        isWide
        keyOf={({ swap_id: id }) => id}
        empty={swaps.value === null ? "Loading…" : "You have not requested a quote yet."}
      />
    </>
  );
}

export function SwapsView(): VNode {
  const { subject } = route.value;
  return (
    <div class="page">
      <h1>Swaps</h1>
      <p class="soft">
        Request prices from liquidity providers and accept the best. Both sides settle in one ledger
        transaction or not at all. The venue never holds the funds.
      </p>
      {markets.value.length > 0 && <RequestForm />}
      {subject !== "" && <SwapCard key={subject} swapId={subject} />}
      <SwapList />
    </div>
  );
}
