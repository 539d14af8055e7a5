// Deposits from the ledger network and withdrawals to it: deposit address, withdrawal form, and history with status.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import { balances, refreshAccount } from "../../member/account.ts";
import type { Movement } from "../../member/movements.ts";
import { requestOnce, requestOwn } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { CopyButton } from "../form/copy-button.tsx";
import { bound, Field, Select, TextField } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { MovementList } from "./movement-list.tsx";
import { freeOf, MaxButton } from "./wallet-fields.tsx";

interface Address {
  readonly party_id: string;
  readonly reference: string;
  readonly asset: string;
  readonly minimum: string;
}

const refreshMs = 5_000;

function assets(): string[] {
  return [...new Set(balances.value.map(({ asset }) => asset))];
}

function DepositCard(): VNode {
  const asset = useSignal("USDC");
  const address = useSignal<Address | null>(null);
  const load = async (): Promise<string> => {
    address.value = null;
    const path = `/v1/deposits/address?asset=${encodeURIComponent(asset.value)}`;
    address.value = await requestOwn<Address>("GET", path);
    return "";
  };
  return (
    <ActionForm title="Deposit" submit="Show deposit address" act={load}>
      <Select label="Asset to deposit" options={assets()} {...bound(asset)} />
      {address.value !== null && (
        <dl class="copied">
          <dt>
            Send {address.value.asset} to this party{" "}
            <CopyButton text={address.value.party_id} what="party" />
          </dt>
          <dd>
            <code>{address.value.party_id}</code>
          </dd>
          <dt>
            Reference (required) <CopyButton text={address.value.reference} what="reference" />
          </dt>
          <dd>
            <code>{address.value.reference}</code>
          </dd>
          <dt>Minimum amount</dt>
          <dd>
            {grouped(address.value.minimum)} {address.value.asset}
          </dd>
        </dl>
      )}
    </ActionForm>
  );
}

function WithdrawalCard({ load }: { load: () => void }): VNode {
  const asset = useSignal("USDC");
  const amount = useSignal("");
  const destination = useSignal("");
  const send = async (): Promise<string> => {
    if (amount.value === "") throw new Error("Enter an amount");
    const { status } = await requestOnce<Movement>("/v1/withdrawals", {
      asset: asset.value,
      amount: amount.value,
      destination: destination.value.trim(),
    });
    amount.value = "";
    refreshAccount();
    load();
    return `Withdrawal ${status.replace(/_/g, " ")}.`;
  };
  return (
    <ActionForm title="Withdraw" submit="Withdraw" act={send}>
      <p class="soft">
        From your spot wallet, to a party that has preapproved transfers of the asset.
      </p>
      <Select label="Asset to withdraw" options={assets()} {...bound(asset)} />
      <div class="with-button">
        <Field label="Amount to withdraw" {...bound(amount)} />
        <MaxButton free={freeOf("spot", asset.value)} amount={amount} />
      </div>
      <TextField label="Destination party" {...bound(destination)} />
    </ActionForm>
  );
}

/** Both forms and the history under them. */
export function CustodyCards(): VNode {
  const rows = useSignal<readonly Movement[]>([]);
  const read = async (): Promise<void> => {
    const lists = await Promise.all(
      ["/v1/deposits?limit=20", "/v1/withdrawals?limit=20"].map((path) =>
        requestOwn<{ items: Movement[] }>("GET", path),
      ),
    );
    const all = lists.flatMap(({ items }) => items);
    rows.value = all.sort((one, other) => other.created_at.localeCompare(one.created_at));
  };
  const fault = useReloaded(read, refreshMs);
  return (
    <>
      <h2>Deposit and withdraw</h2>
      <div class="cards">
        <DepositCard />
        <WithdrawalCard load={() => void read().catch(() => undefined)} />
      </div>
      <h2>Deposit and withdrawal history</h2>
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      <MovementList rows={rows.value} />
    </>
  );
}
