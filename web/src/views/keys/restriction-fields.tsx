// The fields of a key's restrictions: what it may do, from where, and until when.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import {
  addressesIn,
  firstPermissions,
  isAddressOrNetwork,
  type Permission,
  permissionOptions,
  type Restrictions,
  singleOf,
} from "../../member/api-keys.ts";
import { dayAndTime } from "../../moment.ts";

const dayMs = 86_400_000;

const lifetimes = [
  ["never", "Never", 0],
  ["week", "In 7 days", 7 * dayMs],
  ["month", "In 30 days", 30 * dayMs],
  ["quarter", "In 90 days", 90 * dayMs],
  ["year", "In 1 year", 365 * dayMs],
] as const;

const kept = "kept";
const firstLifetime = "quarter";

interface RestrictionForm {
  readonly permissions: Signal<readonly Permission[]>;
  readonly addresses: Signal<string>;
  readonly lifetime: Signal<string>;
  /** The key's expiry before the change; null for never. */
  readonly expiresAt: string | null;
}

/** The form's signals, filled with the restrictions of a key or with those of a new one. */
export function useRestrictions(known: Restrictions | null): RestrictionForm {
  const expiresAt = known?.expires_at ?? null;
  return {
    permissions: useSignal(known === null ? firstPermissions : singleOf(known.permissions)),
    addresses: useSignal(known?.allowed_addresses.join("\n") ?? ""),
    lifetime: useSignal(known === null ? firstLifetime : expiresAt === null ? "never" : kept),
    expiresAt,
  };
}

/** Makes the form that of a new key again. */
export function emptyRestrictions({ permissions, addresses, lifetime }: RestrictionForm): void {
  permissions.value = firstPermissions;
  addresses.value = "";
  lifetime.value = firstLifetime;
}

/** Returns the chosen restrictions. Throws with a message for the user if none can be meant. */
export function restrictionsIn(form: RestrictionForm): Restrictions {
  const { permissions, addresses, lifetime, expiresAt } = form;
  if (permissions.value.length === 0) throw new Error("Choose at least one permission");
  const allowed = addressesIn(addresses.value);
  const wrong = allowed.find((one) => !isAddressOrNetwork(one));
  if (wrong !== undefined)
    throw new Error(`${wrong} is no address or network, such as 192.0.2.7 or 10.0.0.0/8`);
  if (permissions.value.includes("WITHDRAW") && allowed.length === 0)
    throw new Error("A key that can withdraw needs a list of addresses");
  const lastsMs = lifetimes.find(([value]) => value === lifetime.value)?.[2] ?? 0;
  const until = lastsMs === 0 ? null : new Date(Date.now() + lastsMs).toISOString();
  return {
    permissions: permissions.value,
    allowed_addresses: allowed,
    expires_at: lifetime.value === kept ? expiresAt : until,
  };
}

/** Says what a key with the chosen restrictions may do. */
function summaryOf({ permissions, addresses, lifetime, expiresAt }: RestrictionForm): string {
  const may = permissionOptions
    .filter(([name]) => permissions.value.includes(name))
    .map(([, text]) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`)
    .join("; ");
  const from = addressesIn(addresses.value);
  const end = lifetimes.find(([value]) => value === lifetime.value)?.[1].toLowerCase();
  const until = end ?? (expiresAt === null ? "never" : dayAndTime(expiresAt));
  return [
    `The key may: ${may === "" ? "nothing" : may}.`,
    `From ${from.length === 0 ? "any address" : from.join(", ")}.`,
    `Expires ${until}.`,
  ].join(" ");
}

export function RestrictionFields({ form }: { form: RestrictionForm }): VNode {
  const { permissions, addresses, lifetime, expiresAt } = form;
  const toggle = (name: Permission, isOn: boolean): void => {
    const others = permissions.value.filter((known) => known !== name);
    permissions.value = isOn ? [...others, name] : others;
  };
  return (
    <>
      <fieldset class="permissions">
        <legend>Permissions</legend>
        {permissionOptions.map(([name, text]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={permissions.value.includes(name)}
              onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
            />
            {text}
          </label>
        ))}
      </fieldset>
      <label>
        Allowed addresses (empty: any)
        <textarea
          rows={2}
          spellcheck={false}
          placeholder={"192.0.2.7\n10.0.0.0/8"}
          value={addresses.value}
          onInput={({ currentTarget }) => {
            addresses.value = currentTarget.value;
          }}
        />
      </label>
      <label>
        Expires
        <select
          value={lifetime.value}
          onChange={({ currentTarget }) => {
            lifetime.value = currentTarget.value;
          }}
        >
          {expiresAt !== null && <option value={kept}>{dayAndTime(expiresAt)} (unchanged)</option>}
          {lifetimes.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <p class="soft" role="status">
        {summaryOf(form)}
      </p>
    </>
  );
}
