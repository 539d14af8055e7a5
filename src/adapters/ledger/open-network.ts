// Puts a ledger network together from what an operator configures: where the participant and the
// registries are, who the venue is there, and how it gets its tokens.

import type { LedgerNetwork, Party } from "../../ports/ledger.ts";
import type { AccessTokens } from "./access-token.ts";
import { LedgerApiClient } from "./ledger-api-client.ts";
import { type NetworkName, networkProfiles } from "./network-profile.ts";
import { RegistryClient } from "./registry-client.ts";
import { TokenStandardNetwork } from "./token-standard-network.ts";

export interface NetworkPlace {
  readonly profile: NetworkName;
  readonly url: string;
  /** Registries by admin; every other admin's is expected at the participant's own address. */
  readonly registries: ReadonlyMap<Party, string>;
  readonly tokens: AccessTokens;
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
}

export function openNetwork(place: NetworkPlace): LedgerNetwork {
  const { url, tokens, registries: byAdmin, userId, operator, custody } = place;
  const profile = networkProfiles[place.profile];
  const { requestTimeoutMs, streamIdleMs } = profile;
  const api = new LedgerApiClient({ url, tokens, requestTimeoutMs, streamIdleMs });
  const registry = new RegistryClient({ byAdmin, fallback: url }, requestTimeoutMs);
  return new TokenStandardNetwork(api, registry, { profile, userId, operator, custody });
}
