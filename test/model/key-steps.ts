// Commands about API keys in a random day of a venue: registrations, changes by the operator, restrictions by the owner.

import { RateTier } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import type { Draft, TestVenue } from "../support/machine/test-venue.ts";

type KeyScene = Pick<TestVenue, "state" | "nowUs">;

const keys = 30;

/** Returns the registration of a key, whose id is often taken. */
export function registrationOf(account: number, much: number): Draft<Command> {
  const terms = { keyType: 0, tier: RateTier.standard, permissions: 3 } as const;
  return { kind: CommandKind.registerKey, account, keyId: much % keys, ...terms };
}

/** Returns a change of a key by the operator or by its owner. */
export function keyChangeOf(venue: KeyScene, how: number, much: number): Draft<Command> {
  if (how % 3 === 0) return restrictionOf(venue, how, much);
  const change = { tier: RateTier.house, permissions: 1, expects: 0, isRevoked: how % 5 === 0 };
  return { kind: CommandKind.changeKey, keyId: much % keys, ...change };
}

/** Returns a change of restrictions: mostly one that fits the key, which often expires within the stream. */
function restrictionOf({ state, nowUs }: KeyScene, how: number, much: number): Draft<Command> {
  const all = state.keys.all();
  const key = all[much % Math.max(1, all.length)];
  const { account = 1001, keyId = 99, permissions = 1, expiresUs = 0 } = key ?? {};
  return {
    kind: CommandKind.restrictKey,
    account,
    keyId,
    permissions: 1 + (how % 63),
    expects: how % 7 === 0 ? 0 : permissions,
    expiresUs: how % 2 === 0 ? expiresUs : nowUs + ((how % 900) - 100) * 1000,
    expectsExpiresUs: expiresUs,
  };
}
