// Money: what lies where, moving it between wallets, and the faucet where the venue has one.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { balances, refreshAccount } from "../../member/account.ts";
import { ledgerGifts } from "../../member/ledger-gifts.ts";
import { askOnce } from "../../member/once.ts";
import { askOwn, session } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { bound } from "../form/bound.ts";
import { Field, Select } from "../form/field.tsx";
import { BalanceTable } from "./balance-table.tsx";
import { CustodyCards } from "./custody-cards.tsx";
import { EnrollmentCard } from "./enrollment-card.tsx";

const wallets = ["funding", "spot", "perp"] as const;

/** Coins of the party itself, which swaps are paid with. */
const onLedger = "ledger";

function assetsOf(wallet: string): string[] {
  const held = balances.value.filter((balance) => balance.wallet === wallet);
  return held.map(({ asset }) => asset);
}

function TransferForm(): VNode {
  const from = useSignal("funding");
  const to = useSignal("perp");
  const asset = useSignal("USDC");
  const amount = useSignal("");
  const send = async (): Promise<string> => {
    await askOnce("/v1/transfers", {
      from: from.value,
      to: to.value,
      asset: asset.value,
      amount: amount.value,
    });
    amount.value = "";
    refreshAccount();
    return "Moved.";
  };
  return (
    <ActionForm title="Move between wallets" submit="Move" act={send}>
      <Select label="From" options={wallets} {...bound(from)} />
      <Select label="To" options={wallets} {...bound(to)} />
      <Select
        label="Asset"
        options={to.value === "perp" ? ["USDC"] : assetsOf("funding")}
        {...bound(asset)}
      />
      <Field label="Amount" {...bound(amount)} />
    </ActionForm>
  );
}

function FaucetForm(): VNode {
  const asset = useSignal("USDC");
  const wallet = useSignal("perp");
  const amount = useSignal("10000");
  const take = async (): Promise<string> => {
    const body = { asset: asset.value, amount: amount.value, wallet: wallet.value };
    await askOwn("POST", "/v1/deposits/seed", { body });
    refreshAccount();
    const taken = `${amount.value} ${asset.value}`;
    if (wallet.value !== onLedger) return `${taken} are in your ${wallet.value} wallet.`;
    const partyId = session.value?.partyId ?? "";
    ledgerGifts.value = [...ledgerGifts.value, { partyId, words: taken }];
    return `${taken} are your party's on the ledger: swaps are paid from there.`;
  };
  return (
    <ActionForm title="Faucet" submit="Take" act={take}>
      <p class="soft">Only on venues with development tools; this is not real money.</p>
      <Select
        label="Asset"
        options={wallet.value === "perp" ? ["USDC"] : assetsOf("funding")}
        {...bound(asset)}
      />
      <Select label="Wallet" options={[...wallets, onLedger]} {...bound(wallet)} />
      <Field label="Amount" {...bound(amount)} />
    </ActionForm>
  );
}

export function WalletView(): VNode {
  const own = session.value;
  return (
    <div class="page">
      <h1>Wallet</h1>
      <p class="soft">
        You are <code>{own?.partyId}</code>, a {own?.accountType} account.
      </p>
      <BalanceTable rows={balances.value} />
      <div class="cards">
        <TransferForm />
        <FaucetForm />
      </div>
      <h2>Your party on the ledger</h2>
      <EnrollmentCard />
      <CustodyCards />
    </div>
  );
}
