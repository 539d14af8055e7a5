// The form of a withdrawal: its fee and minimum, what arrives, and a question before it is sent, because a withdrawal is
// final.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import { balances, refreshAccount } from "../../member/account.ts";
import {
  type Movement,
  partyFault,
  type WithdrawalPreview,
  type WithdrawalTerms,
  withdrawalPreview,
  withdrawalRefusal,
} from "../../member/movements.ts";
import { requestOnce, session } from "../../member/session.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { readTerms } from "../../member/withdrawal-terms.ts";
import { ActionAnswer, ActionForm, useFormAction } from "../form/action-form.tsx";
import { ConfirmDialog, useQuestion } from "../form/confirm-dialog.tsx";
import { bound, Field, Select, TextField } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { watchLedger } from "./ledger-wait.ts";
import { freeOf, MaxButton } from "./wallet-fields.tsx";

const termsMs = 60_000;

interface CostProps {
  readonly terms: WithdrawalTerms;
  readonly asset: string;
  readonly preview: WithdrawalPreview | null;
}

function Costs({ terms, asset, preview }: CostProps): VNode {
  return (
    <section aria-label="Costs of the withdrawal">
      <dl class="estimate">
        <dt>Minimum</dt>
        <dd>
          {grouped(terms.withdrawMin)} {asset}
        </dd>
        <dt>Fee</dt>
        <dd>
          {grouped(terms.withdrawFee)} {asset}
        </dd>
        <dt>Arrives</dt>
        <dd>{preview?.arrives === undefined ? "–" : `${grouped(preview.arrives)} ${asset}`}</dd>
      </dl>
      {preview?.fault !== undefined && <p role="alert">{preview.fault}</p>}
    </section>
  );
}

/** The start and the end of a party's long name, enough to compare it. */
function shortParty(party: string): string {
  return party.length <= 40 ? party : `${party.slice(0, 24)}…${party.slice(-12)}`;
}

export function WithdrawalCard({ load }: { load: () => void }): VNode {
  const asset = useSignal("USDC");
  const amount = useSignal("");
  const destination = useSignal("");
  const known = useSignal<Readonly<Record<string, WithdrawalTerms>>>({});
  const question = useQuestion();
  const action = useFormAction();
  const fault = useReloaded(async () => {
    known.value = await readTerms();
  }, termsMs);
  const terms = known.value[asset.value];
  const free = freeOf("spot", asset.value);
  const preview = terms === undefined ? null : withdrawalPreview(terms, amount.value, free);
  const destinationFault = partyFault(destination.value.trim());
  const send = async (): Promise<string> => {
    const party = destination.value.trim();
    const stopWatching = watchLedger((text) => {
      action.message.value = text;
    });
    const { status } = await requestOnce<Movement>("/v1/withdrawals", {
      asset: asset.value,
      amount: amount.value.trim(),
      destination: party,
    })
      .finally(stopWatching)
      .catch((thrown: unknown) => {
        const isOwnParty = party === session.value?.partyId;
        throw new Error(withdrawalRefusal(faultMessage(thrown), isOwnParty));
      });
    amount.value = "";
    refreshAccount();
    load();
    return `Withdrawal ${status.replace(/_/g, " ")}.`;
  };
  const ask = async (): Promise<string> => {
    if (amount.value === "") throw new Error("Enter an amount");
    if (destination.value.trim() === "") throw new Error("Enter a destination party");
    if (preview?.fault !== undefined) throw new Error(preview.fault);
    const payee = shortParty(destination.value.trim());
    const what = `${grouped(amount.value.trim())} ${asset.value} leave your spot wallet`;
    const arrives =
      preview === null
        ? `, to ${payee}`
        : ` and ${grouped(preview.arrives)} ${asset.value} arrive at ${payee}`;
    question.value = {
      title: "Withdraw?",
      text: `${what}${arrives}. This cannot be undone.`,
      verb: "Withdraw now",
      act: () => action.run(send),
    };
    return "";
  };
  const assets = [...new Set(balances.value.map((held) => held.asset))];
  return (
    <>
      <ActionForm
        title="Withdraw"
        submit="Withdraw"
        act={ask}
        action={action}
        isDisabled={preview?.fault !== undefined || destinationFault !== null}
      >
        <p class="soft">
          From your spot wallet, to a party that has preapproved transfers of the asset.
        </p>
        <Select label="Asset to withdraw" options={assets} {...bound(asset)} />
        <div class="with-button">
          <Field label="Amount to withdraw" {...bound(amount)} />
          <MaxButton
            free={free}
            onChoose={() => {
              amount.value = free;
            }}
          />
        </div>
        <TextField label="Destination party" {...bound(destination)} />
        {destinationFault !== null && <p role="alert">{destinationFault}</p>}
        {terms !== undefined && <Costs terms={terms} asset={asset.value} preview={preview} />}
        {terms?.withdrawEnable === false && (
          <p role="status">Withdrawals wait for the ledger, which the venue does not reach.</p>
        )}
        {fault.value !== "" && <p role="alert">{fault.value}</p>}
        {action.message.value !== "" && <ActionAnswer action={action} />}
      </ActionForm>
      <ConfirmDialog question={question} />
    </>
  );
}
