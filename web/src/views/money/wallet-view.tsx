// Wallets: balances and their value, transfers between them, test funds on a development venue, and enrolment to trade
// from the user's own party on the ledger.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped, signed } from "../../decimal-text.ts";
import { amountFault } from "../../entered-number.ts";
import { heldBy } from "../../history/party-holdings.ts";
import { addTestFunds, givenTo, onLedger, testFunds } from "../../history/test-funds.ts";
import { exact } from "../../markets/exact.ts";
import { balances, refreshAccount } from "../../member/account.ts";
import { enroll, enrollment, readEnrollment } from "../../member/enrollment.ts";
import { movements, paidTo } from "../../member/movements.ts";
import { prices, readPrices } from "../../member/prices.ts";
import { risk } from "../../member/risk/margin.ts";
import { requestOwn, session } from "../../member/session.ts";
import { readSwaps, swaps } from "../../member/swaps.ts";
import { totalValue, usualFunds } from "../../member/valuation.ts";
import { ActionForm, useFormAction } from "../form/action-form.tsx";
import { ConfirmDialog, useQuestion } from "../form/confirm-dialog.tsx";
import { CopyButton } from "../form/copy-button.tsx";
import { bound, Field, Select } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { BalanceTable } from "./balance-table.tsx";
import { CustodyCards } from "./custody-cards.tsx";
import { TransferForm } from "./transfer-form.tsx";
import { assetsOf, namedWallet, wallets } from "./wallet-fields.tsx";

const refreshMs = 2_000;
const pricesMs = 10_000;
const swapsMs = 5_000;

const message = {
  none: "The venue holds your spot balances.",
  pending:
    "Waiting for your party to authorize the venue to settle for it. A development venue needs a few seconds.",
  active: "Your spot wallet is your own party on the ledger. You trade with what it holds there.",
  revoked: "Your party no longer authorizes the venue to settle for it. Spot orders are refused.",
} as const;

/** What makes coins that arrive at the party part of the balances, by the progress of its enrolment. */
const steps = {
  none: "To trade with what arrives there, send it to the deposit address above with its reference, or trade from your own party.",
  pending: "It becomes part of them once your party has authorized the venue.",
  revoked: "It becomes part of them again once your party authorizes the venue again.",
} as const;

/**
 * What is known to have reached the party on the ledger: test funds of this page, and withdrawals. The venue reads what a
 * party holds only once it is enrolled, so nothing of it is part of the balances.
 */
function Received({ party, status }: { party: string; status: keyof typeof steps }): VNode {
  useReloaded(readSwaps, swapsMs);
  const gifts = givenTo(party);
  const paid = paidTo(party, movements.value);
  const known = { funds: testFunds.value, movements: movements.value, swaps: swaps.value ?? [] };
  const held = heldBy(party, known);
  return (
    <>
      <p class="soft">
        The venue does not see what this party holds on the ledger: it is not in the balances and
        the total above. It pays for swaps. {steps[status]}
      </p>
      {gifts.length > 0 && <p>Test funds sent to it: {gifts.join(", ")}</p>}
      {paid.length > 0 && <p>Withdrawn to it: {paid.join(", ")}</p>}
      {held !== null && held.length > 0 && (
        <p>Held after your swaps, as far as this page knows: {held.join(", ")}</p>
      )}
    </>
  );
}

/** Why the account cannot trade from its own party yet: the spot wallet must be empty, and holds something. */
function spotFault(): string {
  const held = balances.value.filter(
    ({ wallet, total }) => wallet === "spot" && (exact(total) ?? 0n) > 0n,
  );
  if (held.length === 0) return "";
  const amounts = held.map(({ total, asset }) => `${grouped(total)} ${asset}`).join(", ");
  return `Your spot wallet still holds ${amounts}. Cancel your spot orders, and withdraw or transfer it first.`;
}

function EnrollmentCard(): VNode {
  const fault = useReloaded(readEnrollment, refreshMs);
  const question = useQuestion();
  const action = useFormAction();
  const begin = async (): Promise<string> => {
    await enroll();
    refreshAccount();
    return "";
  };
  const ask = async (): Promise<string> => {
    question.value = {
      title: "Trade from your own party?",
      text: "Your spot wallet must be empty. The venue will no longer hold your spot balances: they are those of your own party on the ledger, and you deposit and withdraw spot assets with ledger transfers of your own. This cannot be undone.",
      fault: spotFault(),
      verb: "Trade from it for good",
      act: () => action.run(begin),
    };
    return "";
  };
  const { value } = enrollment;
  const party = value?.party_id ?? session.value?.partyId ?? "";
  return (
    <section class="notice" aria-label="Your party on the ledger">
      <p>
        <code>{party}</code> <CopyButton text={party} what="party" />
      </p>
      <p>{value === null ? "Loading…" : message[value.status]}</p>
      {value !== null && value.status !== "active" && (
        <Received party={party} status={value.status} />
      )}
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {value?.status === "none" && (
        <ActionForm submit="Trade from my own party" act={ask} action={action} note="">
          <p class="soft">
            Empty your spot wallet first. This cannot be undone: from then on you deposit and
            withdraw spot assets with ledger transfers that you make yourself.
          </p>
        </ActionForm>
      )}
      <ConfirmDialog question={question} />
    </section>
  );
}

/** Sent over the ledger to the account's deposit address. */
const asDeposit = "deposit";

function FaucetForm(): VNode {
  const asset = useSignal("USDC");
  const wallet = useSignal<string>(namedWallet());
  // Null until the user types another amount than the usual one.
  const typed = useSignal<string | null>(null);
  // The perp wallet holds nothing else.
  const given = wallet.value === "perp" ? "USDC" : asset.value;
  const amount = typed.value ?? usualFunds(given, prices.value);
  const take = async (): Promise<string> => {
    const fault = amountFault(amount);
    if (fault !== null) throw new Error(fault);
    const body = { asset: given, amount, wallet: wallet.value };
    await requestOwn("POST", "/v1/deposits/seed", { body });
    refreshAccount();
    const taken = `${amount} ${given}`;
    if (wallet.value === asDeposit)
      return `${taken} sent to your deposit address. The history below follows the deposit.`;
    addTestFunds(body);
    if (wallet.value !== onLedger) return `${taken} added to your ${wallet.value} wallet.`;
    return `${taken} sent to your party on the ledger. Swaps are paid from there.`;
  };
  return (
    <ActionForm title="Test funds" submit="Get test funds" act={take}>
      <p class="soft">For development venues only. Test funds have no value.</p>
      <Select
        label="Asset"
        options={wallet.value === "perp" ? ["USDC"] : assetsOf("funding")}
        value={given}
        onValue={(next) => {
          asset.value = next;
          // What was typed was meant for the other asset.
          typed.value = null;
        }}
      />
      <Select label="Wallet" options={[...wallets, onLedger, asDeposit]} {...bound(wallet)} />
      <Field
        label="Amount"
        value={amount}
        onValue={(text) => {
          typed.value = text;
        }}
      />
    </ActionForm>
  );
}

/** The value of everything in the wallets, with the profits and losses of open positions, which the rows do not have. */
function Worth(): VNode {
  useReloaded(readPrices, pricesMs);
  const profit = risk.value?.unrealized ?? "0";
  const { value, without } = totalValue(balances.value, [profit], prices.value);
  return (
    <p class="worth">
      <span class="soft">Total value</span>
      <b>{grouped(value)} USDC</b>
      {(exact(profit) ?? 0n) !== 0n && (
        <span class="soft">
          with <span class="figure">{signed(profit, 2)}</span> unrealized PnL of your positions
        </span>
      )}
      {without.length > 0 && <span class="soft">without {without.join(", ")}: no price</span>}
    </p>
  );
}

export function WalletView(): VNode {
  const own = session.value;
  return (
    <div class="page">
      <h1>Wallet</h1>
      <Worth />
      <BalanceTable rows={balances.value} />
      <div class="cards">
        <TransferForm />
        <FaucetForm />
      </div>
      <CustodyCards />
      <h2>Your party on the ledger</h2>
      <EnrollmentCard />
      <p class="soft">{own?.accountType} account</p>
    </div>
  );
}
