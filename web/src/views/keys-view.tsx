// API keys of the account: created here, the secret shown once, revoked at once.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { requestOwn } from "../member/session.ts";
import { dayAndTime } from "../moment.ts";
import { ActionAnswer, ActionForm, useFormAction } from "./form/action-form.tsx";
import { bound, TextField } from "./form/field.tsx";
import { buttons, type Column, Table } from "./form/table.tsx";

interface ApiKey {
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly key_type: string;
  readonly rate_tier: string;
  readonly created_at: string;
  readonly secret?: string;
}

function NewKey({ made }: { made: ApiKey }): VNode {
  return (
    <section class="notice" aria-label="New API key">
      <p>Copy the secret now: it is shown only once. Store it safely and share it with no one.</p>
      <dl>
        <dt>Key</dt>
        <dd>
          <code>{made.key}</code>
        </dd>
        <dt>Secret</dt>
        <dd>
          <code>{made.secret}</code>
        </dd>
      </dl>
    </section>
  );
}

export function KeysView(): VNode {
  const keys = useSignal<readonly ApiKey[]>([]);
  const label = useSignal("");
  const made = useSignal<ApiKey | null>(null);
  const action = useFormAction();
  const load = async (): Promise<void> => {
    keys.value = (await requestOwn<{ keys: ApiKey[] }>("GET", "/v1/api-keys")).keys;
  };
  useEffect(() => {
    action.run(async () => {
      await load();
      return "";
    });
  }, []);
  const make = async (): Promise<string> => {
    made.value = await requestOwn<ApiKey>("POST", "/v1/api-keys", { body: { label: label.value } });
    label.value = "";
    await load();
    return "";
  };
  const revoke = async ({ id, label: name }: ApiKey): Promise<string> => {
    await requestOwn("DELETE", `/v1/api-keys/${id}`);
    if (made.value?.id === id) made.value = null;
    await load();
    return `${name === "" ? "API key" : name} revoked.`;
  };
  const columns: ReadonlyArray<Column<ApiKey>> = [
    { name: "Label", cell: (key) => key.label },
    { name: "Key", cell: ({ key }) => <code>{key.slice(0, 12)}…</code> },
    { name: "Type", cell: (key) => key.key_type },
    { name: "Tier", cell: (key) => key.rate_tier },
    { name: "Created", cell: (key) => dayAndTime(key.created_at) },
    buttons({
      verb: "Revoke",
      about: ({ label }) => label,
      act: (key) => action.run(() => revoke(key)),
    }),
  ];
  return (
    <div class="page">
      <h1>API keys</h1>
      <p class="soft">
        A new API key can read and trade. It cannot log in, create keys or withdraw.
      </p>
      <ActionForm layout="row" submit="Create API key" action={action} act={make}>
        <TextField label="Label" {...bound(label)} />
      </ActionForm>
      <ActionAnswer action={action} />
      {made.value !== null && <NewKey made={made.value} />}
      <Table
        label="API keys"
        rows={keys.value}
        columns={columns}
        keyOf={({ id }) => id}
        empty="No API keys yet."
      />
    </div>
  );
}
