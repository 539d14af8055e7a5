// Transfers between the user's wallets, with the balances that a transfer would leave.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped, textOf, unitsOf } from "../../decimal-text.ts";
import { refreshAccount } from "../../member/account.ts";
import { requestOnce } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { bound, Field, Select } from "../form/field.tsx";
import { assetsOf, freeOf, MaxButton, wallets } from "./wallet-fields.tsx";

interface PreviewProps {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: string;
}

/** What both wallets have before and after; says so if the amount is more than is available. */
function Preview({ from, to, asset, amount }: PreviewProps): VNode | null {
  const [left, right] = [freeOf(from, asset), freeOf(to, asset)];
  const places = (left.split(".")[1] ?? "").length;
  const [moved, had, has] = [amount, left, right].map((text) => unitsOf(text, places));
  if (moved == null || had == null || has == null || moved <= 0n || from === to) return null;
  if (moved > had) {
    return (
      <p role="alert">
        Only {grouped(left)} {asset} available in your {from} wallet.
      </p>
    );
  }
  const change = (name: string, before: bigint, after: bigint) => (
    <>
      <dt>{name} wallet</dt>
      <dd>
        {grouped(textOf(before, places))} → {grouped(textOf(after, places))} {asset}
      </dd>
    </>
  );
  return (
    <section aria-label="After the transfer">
      <dl class="estimate">
        {change(from, had, had - moved)}
        {change(to, has, has + moved)}
      </dl>
    </section>
  );
}

export function TransferForm(): VNode {
  const from = useSignal("funding");
  const to = useSignal("perp");
  const asset = useSignal("USDC");
  const amount = useSignal("");
  const isPerp = from.value === "perp" || to.value === "perp";
  const assets = isPerp ? ["USDC"] : assetsOf("funding");
  const named = assets.includes(asset.value) ? asset.value : "USDC";
  const send = async (): Promise<string> => {
    if (amount.value === "") throw new Error("Enter an amount");
    if (from.value === to.value) throw new Error("Choose two different wallets");
    const terms = { from: from.value, to: to.value, asset: named, amount: amount.value };
    await requestOnce("/v1/transfers", terms);
    const done = `Transferred ${amount.value} ${named} from ${from.value} to ${to.value}.`;
    amount.value = "";
    refreshAccount();
    return done;
  };
  return (
    <ActionForm title="Transfer between wallets" submit="Transfer" act={send}>
      <Select label="From" options={wallets} {...bound(from)} />
      <Select label="To" options={wallets} {...bound(to)} />
      <Select label="Asset" options={assets} {...bound(asset)} value={named} />
      <div class="with-button">
        <Field label="Amount" {...bound(amount)} />
        <MaxButton free={freeOf(from.value, named)} amount={amount} />
      </div>
      <Preview from={from.value} to={to.value} asset={named} amount={amount.value} />
    </ActionForm>
  );
}
