// Transfers between the user's wallets, with the balances that a transfer would leave.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { grouped, placesIn, textOf, unitsOf } from "../../decimal-text.ts";
import { amountFault } from "../../entered-number.ts";
import { exact } from "../../markets/exact.ts";
import { refreshAccount } from "../../member/account.ts";
import { requestOnce } from "../../member/session.ts";
import { route } from "../../route.ts";
import { ActionForm } from "../form/action-form.tsx";
import { bound, Field, Select } from "../form/field.tsx";
import {
  assetsOf,
  freeOf,
  MaxButton,
  mostFrom,
  movableFrom,
  namedWallet,
  wallets,
} from "./wallet-fields.tsx";

interface PreviewProps {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: string;
}

/** Why the venue would refuse the transfer; empty if it would not, and while there is no amount. */
function transferFault({ from, to, asset, amount }: PreviewProps): string {
  if (from === to) return "Choose two different wallets.";
  if (amount === "") return "";
  const fault = amountFault(amount);
  if (fault !== null) return fault;
  const [free, moved] = [freeOf(from, asset), exact(amount) ?? 0n];
  const places = placesIn(free);
  if (placesIn(amount) > places) return `${asset} has at most ${places} decimal places.`;
  if (moved > (exact(free) ?? 0n)) {
    return `Only ${grouped(free)} ${asset} available in your ${from} wallet.`;
  }
  const movable = movableFrom(from, asset);
  if (moved <= (exact(movable) ?? 0n)) return "";
  return (
    `At most ${grouped(movable)} ${asset} can leave your ${from} wallet: the margin floor keeps the` +
    " rest for your positions and orders."
  );
}

/** What both wallets have before and after; says so if the venue would refuse the transfer. */
function Preview(props: PreviewProps): VNode | null {
  const { from, to, asset, amount } = props;
  const fault = transferFault(props);
  if (fault !== "") return <p role="alert">{fault}</p>;
  const [left, right] = [freeOf(from, asset), freeOf(to, asset)];
  const places = placesIn(left);
  const [moved, had, has] = [amount, left, right].map((text) => unitsOf(text, places));
  if (moved == null || had == null || has == null) return null;
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

type Wallet = (typeof wallets)[number];

function otherThan(wallet: Wallet): Wallet {
  return wallet === "funding" ? "spot" : "funding";
}

/** The wallet that a transfer to another one is filled in with: one that has USDC, if any has. */
function firstFrom(to: Wallet): Wallet {
  const usual = otherThan(to);
  const others = wallets.filter((wallet) => wallet !== to && wallet !== usual);
  // The wallet that the view's address names is where funds shall go; without one, they may come from it.
  const candidates = [usual, ...others, ...(route.value.subject === to ? [] : [to])];
  return candidates.find((wallet) => (exact(freeOf(wallet, "USDC")) ?? 0n) > 0n) ?? usual;
}

export function TransferForm(): VNode {
  const preset = namedWallet();
  // Until the user chooses, money comes from where there is some.
  const chosen = useSignal<string | null>(null);
  const first = firstFrom(preset);
  const from = { value: chosen.value ?? first };
  const aim = useSignal<string | null>(null);
  const to = { value: aim.value ?? (from.value === preset ? otherThan(preset) : preset) };
  const asset = useSignal("USDC");
  const amount = useSignal("");
  // All that can go, which then follows the marks until the user types an amount.
  const isAll = useSignal(false);
  const isPerp = from.value === "perp" || to.value === "perp";
  const assets = isPerp ? ["USDC"] : assetsOf("funding");
  const named = assets.includes(asset.value) ? asset.value : "USDC";
  const most = mostFrom(from.value, named);
  const moved = isAll.value ? most : amount.value;
  const enter = (text: string): void => {
    isAll.value = false;
    amount.value = text;
  };
  // All of one wallet and asset is not all of another.
  useEffect(() => {
    isAll.value = false;
  }, [from.value, named]);
  const send = async (): Promise<string> => {
    if (moved === "") throw new Error("Enter an amount");
    const terms = { from: from.value, to: to.value, asset: named, amount: moved };
    const fault = transferFault(terms);
    if (fault !== "") throw new Error(fault);
    await requestOnce("/v1/transfers", terms);
    const done = `Transferred ${moved} ${named} from ${from.value} to ${to.value}.`;
    enter("");
    refreshAccount();
    return done;
  };
  return (
    <ActionForm title="Transfer between wallets" submit="Transfer" act={send}>
      <Select
        label="From"
        options={wallets}
        value={from.value}
        onValue={(wallet) => {
          aim.value = to.value;
          chosen.value = wallet;
        }}
      />
      <Select
        label="To"
        options={wallets}
        value={to.value}
        onValue={(wallet) => {
          chosen.value = from.value;
          aim.value = wallet;
        }}
      />
      <Select label="Asset" options={assets} {...bound(asset)} value={named} />
      <div class="with-button">
        <Field label="Amount" value={moved} onValue={enter} />
        <MaxButton
          free={most}
          onChoose={() => {
            isAll.value = true;
          }}
        />
      </div>
      <Preview from={from.value} to={to.value} asset={named} amount={moved} />
    </ActionForm>
  );
}
