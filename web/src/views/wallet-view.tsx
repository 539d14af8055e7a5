// Money: what lies where, moving it between wallets, and the faucet where the venue has one.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { balances, refreshAccount } from "../account.ts";
import { askOwn, session } from "../session.ts";
import { BalanceTable } from "./balance-table.tsx";
import { Field } from "./field.tsx";
import { useFormAction } from "./form-action.ts";

const wallets = ["funding", "spot", "perp"] as const;

interface ChoiceProps {
  readonly label: string;
  readonly options: readonly string[];
  readonly value: string;
  onValue(value: string): void;
}

function Choice({ label, options, value, onValue }: ChoiceProps): VNode {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

function assetsOf(wallet: string): string[] {
  const held = balances.value.filter((balance) => balance.wallet === wallet);
  return held.map(({ asset }) => asset);
}

function TransferForm(): VNode {
  const from = useSignal("funding");
  const to = useSignal("perp");
  const asset = useSignal("USDC");
  const amount = useSignal("");
  const action = useFormAction();
  const send = async (): Promise<string> => {
    const body = {
      from: from.value,
      to: to.value,
      asset: asset.value,
      amount: amount.value,
      idempotency_key: crypto.randomUUID(),
    };
    await askOwn("POST", "/v1/transfers", { body });
    amount.value = "";
    refreshAccount();
    return "Moved.";
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.run(send);
      }}
    >
      <h2>Move between wallets</h2>
      <Choice
        label="From"
        options={wallets}
        value={from.value}
        onValue={(w) => {
          from.value = w;
        }}
      />
      <Choice
        label="To"
        options={wallets}
        value={to.value}
        onValue={(w) => {
          to.value = w;
        }}
      />
      <Choice
        label="Asset"
        options={to.value === "perp" ? ["USDC"] : assetsOf("funding")}
        value={asset.value}
        onValue={(code) => {
          asset.value = code;
        }}
      />
      <Field
        label="Amount"
        value={amount.value}
        onValue={(text) => {
          amount.value = text;
        }}
      />
      <button type="submit" class="primary" disabled={action.isBusy.value}>
        Move
      </button>
      <p class="answer" role={action.isFault.value ? "alert" : "status"}>
        {action.words.value}
      </p>
    </form>
  );
}

function FaucetForm(): VNode {
  const asset = useSignal("USDC");
  const wallet = useSignal("perp");
  const amount = useSignal("10000");
  const action = useFormAction();
  const take = async (): Promise<string> => {
    const body = { asset: asset.value, amount: amount.value, wallet: wallet.value };
    await askOwn("POST", "/v1/deposits/seed", { body });
    refreshAccount();
    return `${amount.value} ${asset.value} are in your ${wallet.value} wallet.`;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.run(take);
      }}
    >
      <h2>Faucet</h2>
      <p class="soft">Only on venues with development tools; this is not real money.</p>
      <Choice
        label="Asset"
        options={wallet.value === "perp" ? ["USDC"] : assetsOf("funding")}
        value={asset.value}
        onValue={(code) => {
          asset.value = code;
        }}
      />
      <Choice
        label="Wallet"
        options={wallets}
        value={wallet.value}
        onValue={(w) => {
          wallet.value = w;
        }}
      />
      <Field
        label="Amount"
        value={amount.value}
        onValue={(text) => {
          amount.value = text;
        }}
      />
      <button type="submit" class="primary" disabled={action.isBusy.value}>
        Take
      </button>
      <p class="answer" role={action.isFault.value ? "alert" : "status"}>
        {action.words.value}
      </p>
    </form>
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
    </div>
  );
}
