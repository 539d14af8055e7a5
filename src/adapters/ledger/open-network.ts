// Puts a ledger network together from where it is: the participant, its registries, who the venue is
// there, and how it gets its tokens.

import type { LedgerNetwork } from "../../ports/ledger.ts";
import type { LedgerAddress, NetworkPlace } from "../../ports/ledger-place.ts";
import { accessTokens } from "./access-token.ts";
import { LedgerApiClient } from "./ledger-api-client.ts";
import { networkProfiles } from "./network-profile.ts";
import { RegistryClient } from "./registry-client.ts";
import { TokenStandardNetwork } from "./token-standard-network.ts";

/** `address`: where it is now, if that may change. */
export function openNetwork(place: NetworkPlace, address: LedgerAddress = place): LedgerNetwork {
  const { userId, operator, custody } = place;
  const profile = networkProfiles[place.profile];
  const { requestTimeoutMs, streamIdleMs } = profile;
  const tokens = accessTokens(place.tokens, userId);
  const api = new LedgerApiClient({ address, tokens, requestTimeoutMs, streamIdleMs });
  const byAdmin = new Map(place.registries);
  const registry = new RegistryClient({ byAdmin, fallback: address }, requestTimeoutMs);
  return new TokenStandardNetwork(api, registry, { profile, userId, operator, custody });
}
