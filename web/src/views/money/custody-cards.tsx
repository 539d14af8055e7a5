// Deposits from the ledger network and withdrawals to it: deposit address, both forms, and history with status.

import { effect, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import { balances, refreshAccount } from "../../member/account.ts";
import { type Movement, movements, statesOf } from "../../member/movements.ts";
import { requestOwn, session } from "../../member/session.ts";
import { ActionForm } from "../form/action-form.tsx";
import { CopyButton } from "../form/copy-button.tsx";
import { bound, Select } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { MovementList } from "./movement-list.tsx";
import { WithdrawalCard } from "./withdrawal-card.tsx";

interface Address {
  readonly party_id: string;
  readonly reference: string;
  readonly asset: string;
  readonly minimum: string;
}

const refreshMs = 5_000;

effect(() => {
  if (session.value === null) movements.value = [];
});

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

/** Both forms and the history under them. */
export function CustodyCards(): VNode {
  const read = async (): Promise<void> => {
    const lists = await Promise.all(
      ["/v1/deposits?limit=20", "/v1/withdrawals?limit=20"].map((path) =>
        requestOwn<{ items: Movement[] }>("GET", path),
      ),
    );
    const all = lists.flatMap(({ items }) => items);
    // No stream of the account tells of the funding wallet.
    if (statesOf(all) !== statesOf(movements.peek())) refreshAccount();
    movements.value = all.sort((one, other) => other.created_at.localeCompare(one.created_at));
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
      <MovementList rows={movements.value} />
    </>
  );
}
