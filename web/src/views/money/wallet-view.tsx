// Money: what lies where, moving it between wallets, the faucet where the venue has one, and trading from one's own
// party on the ledger: what it means, how far it is, and the step that begins it.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { balances, refreshAccount } from "../../member/account.ts";
import { enroll, enrollment, ledgerGifts, readEnrollment } from "../../member/enrollment.ts";
import { requestOnce, requestOwn, session } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { bound, Field, Select } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { BalanceTable } from "./balance-table.tsx";
import { CustodyCards } from "./custody-cards.tsx";

const refreshMs = 2_000;

const message = {
  none: "Your spot wallet is kept by the venue.",
  pending:
    "Your party is asked to let the venue settle for it. On a development venue that takes seconds.",
  active:
    "Your spot wallet is your own party on the ledger: what it holds there is what you trade with.",
  revoked: "Your party no longer lets the venue settle for it, so spot orders are refused.",
} as const;

function EnrollmentCard(): VNode {
  const fault = useReloaded(readEnrollment, refreshMs);
  const begin = async (): Promise<string> => {
    await enroll();
    refreshAccount();
    return "";
  };
  const { value } = enrollment;
  return (
    <section class="notice" aria-label="Your party on the ledger">
      <p>
        <code>{value?.party_id ?? session.value?.partyId}</code>
      </p>
      <p>{value === null ? "Asking…" : message[value.status]}</p>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {value?.status === "none" && (
        <ActionForm submit="Trade from my own party" act={begin}>
          <p class="soft">
            The spot wallet has to be empty. It stays so for good: deposits and withdrawals of spot
            coins are then payments on the ledger that you make yourself.
          </p>
        </ActionForm>
      )}
    </section>
  );
}

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
    await requestOnce("/v1/transfers", {
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
    await requestOwn("POST", "/v1/deposits/seed", { body });
    refreshAccount();
    const taken = `${amount.value} ${asset.value}`;
    if (wallet.value !== onLedger) return `${taken} are in your ${wallet.value} wallet.`;
    const partyId = session.value?.partyId ?? "";
    ledgerGifts.value = [...ledgerGifts.value, { partyId, message: taken }];
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
