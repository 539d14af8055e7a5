// Wallets: balances, transfers between them, test funds on a development venue, and enrolment to trade from the
// user's own party on the ledger.

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
  none: "The venue holds your spot balances.",
  pending:
    "Waiting for your party to authorize the venue to settle for it. A development venue needs a few seconds.",
  active: "Your spot wallet is your own party on the ledger. You trade with what it holds there.",
  revoked: "Your party no longer authorizes the venue to settle for it. Spot orders are refused.",
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
      <p>{value === null ? "Loading…" : message[value.status]}</p>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {value?.status === "none" && (
        <ActionForm submit="Trade from my own party" act={begin}>
          <p class="soft">
            Empty your spot wallet first. This cannot be undone: from then on you deposit and
            withdraw spot assets with ledger transfers that you make yourself.
          </p>
        </ActionForm>
      )}
    </section>
  );
}

const wallets = ["funding", "spot", "perp"] as const;

/** The holdings of the user's own party, which pay for swaps. */
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
    if (amount.value === "") throw new Error("Enter an amount");
    await requestOnce("/v1/transfers", {
      from: from.value,
      to: to.value,
      asset: asset.value,
      amount: amount.value,
    });
    const done = `Transferred ${amount.value} ${asset.value} from ${from.value} to ${to.value}.`;
    amount.value = "";
    refreshAccount();
    return done;
  };
  return (
    <ActionForm title="Transfer between wallets" submit="Transfer" act={send}>
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
    if (amount.value === "") throw new Error("Enter an amount");
    const body = { asset: asset.value, amount: amount.value, wallet: wallet.value };
    await requestOwn("POST", "/v1/deposits/seed", { body });
    refreshAccount();
    const taken = `${amount.value} ${asset.value}`;
    if (wallet.value !== onLedger) return `${taken} added to your ${wallet.value} wallet.`;
    const partyId = session.value?.partyId ?? "";
    ledgerGifts.value = [...ledgerGifts.value, { partyId, message: taken }];
    return `${taken} sent to your party on the ledger. Swaps are paid from there.`;
  };
  return (
    <ActionForm title="Test funds" submit="Get test funds" act={take}>
      <p class="soft">For development venues only. Test funds have no value.</p>
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
        Party <code>{own?.partyId}</code>, {own?.accountType} account
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
