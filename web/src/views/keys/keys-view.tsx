// API keys of the account: created with restrictions, the secret shown once, changed and revoked. Beside them the key of
// this browser and the log-ins of the account.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import {
  createKey,
  type NewApiKey,
  type RestrictedKey,
  readKeys,
  restrictKey,
  revokeKey,
  singleOf,
} from "../../member/api-keys.ts";
import { dayAndMinute, dayAndTime } from "../../moment.ts";
import { ActionAnswer, ActionForm, useFormAction } from "../form/action-form.tsx";
import { ConfirmDialog, useQuestion } from "../form/confirm-dialog.tsx";
import { CopyButton } from "../form/copy-button.tsx";
import { bound, TextField } from "../form/field.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { buttons, type Column, Table } from "../form/table.tsx";
import { BrowserKeyCard } from "./browser-key-card.tsx";
import { LoginsCard } from "./logins-card.tsx";
import {
  emptyRestrictions,
  RestrictionFields,
  restrictionsIn,
  useRestrictions,
} from "./restriction-fields.tsx";

const refreshMs = 5_000;

function NewKey({ made }: { made: NewApiKey }): VNode {
  return (
    <section class="notice" aria-label="New API key">
      <h2>{nameOf(made)}</h2>
      <p>Copy the secret now: it is shown only once. Store it safely and share it with no one.</p>
      <dl class="copied">
        <dt>
          Key <CopyButton text={made.key} what="key" />
        </dt>
        <dd>
          <code>{made.key}</code>
        </dd>
        <dt>
          Secret <CopyButton text={made.secret} what="secret" />
        </dt>
        <dd>
          <code>{made.secret}</code>
        </dd>
      </dl>
    </section>
  );
}

const shortNames: Readonly<Record<string, string>> = {
  READ: "read",
  TRADE_SPOT: "spot",
  TRADE_PERPETUAL: "perpetuals",
  TRANSFER: "transfers",
  WITHDRAW: "withdrawals",
};

function rights({ restrictions }: RestrictedKey): string {
  return singleOf(restrictions.permissions)
    .map((name) => shortNames[name])
    .join(", ");
}

/** The label, or the beginning of the key, so that two keys without a label can be told apart. */
function nameOf({ label, key }: Pick<RestrictedKey, "label" | "key">): string {
  return label === null || label === "" ? `API key ${shortKey(key)}` : label;
}

function shortKey(key: string): string {
  return `${key.slice(0, 8)}…`;
}

function lastUse({ last_used_at: at, unusedSince }: RestrictedKey): string {
  if (at !== null) return dayAndMinute(at);
  return unusedSince === null ? "never" : `none since ${dayAndMinute(unusedSince)}`;
}

interface EditProps {
  readonly edited: RestrictedKey;
  cancel(): void;
  done(message: string): Promise<void>;
}

function EditKey({ edited, cancel, done }: EditProps): VNode {
  const form = useRestrictions(edited.restrictions);
  const save = async (): Promise<string> => {
    await restrictKey(edited.id, restrictionsIn(form));
    await done(`${nameOf(edited)} changed.`);
    return "";
  };
  return (
    <section class="notice" aria-label="Restrictions">
      <ActionForm title={`Restrictions of ${nameOf(edited)}`} submit="Save" act={save}>
        <p class="soft">More rights than before are signed with the key of this browser.</p>
        <RestrictionFields form={form} />
      </ActionForm>
      <button type="button" class="quiet" onClick={cancel}>
        Cancel
      </button>
    </section>
  );
}

interface CreateProps {
  readonly made: Signal<NewApiKey | null>;
  load(): Promise<void>;
}

function CreateKey({ made, load }: CreateProps): VNode {
  const label = useSignal("");
  const form = useRestrictions(null);
  const make = async (): Promise<string> => {
    // The secret of the key before must not pass for that of this one.
    made.value = null;
    made.value = await createKey(label.value, restrictionsIn(form));
    label.value = "";
    emptyRestrictions(form);
    await load();
    return "";
  };
  return (
    <section class="notice" aria-label="Create an API key">
      <ActionForm title="New API key" submit="Create API key" act={make}>
        <p class="soft">An API key cannot log in or create other keys.</p>
        <TextField label="Label" {...bound(label)} />
        <RestrictionFields form={form} />
      </ActionForm>
    </section>
  );
}

function columnsWith(edit: (key: RestrictedKey) => void, revoke: (key: RestrictedKey) => void) {
  const deeds = [
    buttons({ verb: "Edit", about: nameOf, act: edit }),
    buttons({ verb: "Revoke", about: nameOf, act: revoke }),
  ];
  const columns: ReadonlyArray<Column<RestrictedKey>> = [
    { name: "Label", cell: nameOf },
    { name: "Key", cell: ({ key }) => <code class="whole">{shortKey(key)}</code> },
    { name: "May", cell: rights },
    {
      name: "From",
      cell: ({ restrictions: { allowed_addresses: from } }) =>
        from.length === 0 ? "any address" : from.join(", "),
    },
    {
      name: "Expires",
      cell: ({ restrictions: { expires_at: at } }) => (at === null ? "never" : dayAndTime(at)),
    },
    {
      name: "Last used",
      cell: lastUse,
    },
    { name: "Created", cell: ({ created_at: at }) => dayAndTime(at) },
    { name: "", cell: (key) => <div class="deeds">{deeds.map(({ cell }) => cell(key))}</div> },
  ];
  return columns;
}

export function KeysView(): VNode {
  const keys = useSignal<readonly RestrictedKey[]>([]);
  const made = useSignal<NewApiKey | null>(null);
  const edited = useSignal<RestrictedKey | null>(null);
  const action = useFormAction();
  const question = useQuestion();
  const load = async (): Promise<void> => {
    keys.value = await readKeys();
  };
  const done = async (message: string): Promise<void> => {
    edited.value = null;
    await load();
    action.run(async () => message);
  };
  // Another device may create, change or revoke keys.
  const fault = useReloaded(load, refreshMs);
  const revoke = (key: RestrictedKey): void => {
    question.value = {
      title: `Revoke ${nameOf(key)}?`,
      text: `Key ${shortKey(key.key)}, last use: ${lastUse(key)}. Programs that use it stop working at once. It cannot be undone.`,
      verb: "Revoke key",
      act: () =>
        action.run(async () => {
          await revokeKey(key.id);
          if (made.value?.id === key.id) made.value = null;
          await load();
          return `${nameOf(key)} revoked.`;
        }),
    };
  };
  const edit = (key: RestrictedKey): void => {
    edited.value = key;
  };
  return (
    <div class="page wide">
      <h1>API keys</h1>
      <ActionAnswer action={action} />
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {made.value !== null && <NewKey made={made.value} />}
      <Table
        label="API keys"
        rows={keys.value}
        columns={columnsWith(edit, revoke)}
        isWide
        keyOf={({ id }) => id}
        empty="No API keys yet."
      />
      {edited.value !== null && (
        <EditKey
          key={edited.value.id}
          edited={edited.value}
          cancel={() => {
            edited.value = null;
          }}
          done={done}
        />
      )}
      <div class="cards">
        <CreateKey made={made} load={load} />
        <div class="column">
          <BrowserKeyCard />
          <LoginsCard />
        </div>
      </div>
      <ConfirmDialog question={question} />
    </div>
  );
}
