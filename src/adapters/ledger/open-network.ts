// Builds a ledger network client from the network's endpoint: the addresses of participant and registries, the venue's
// identity, and access tokens.

import type { LedgerNetwork } from "../../ports/ledger/ledger.ts";
import type { LedgerAddress, NetworkEndpoint } from "../../ports/ledger/ledger-endpoint.ts";
import type { SwapLedger } from "../../ports/swaps/swap-ledger.ts";
import { accessTokens } from "./access-token.ts";
import { LedgerApiClient } from "./ledger-api-client.ts";
import { type NetworkProfile, networkProfiles } from "./network-profile.ts";
import { RegistryClient } from "./registry-client.ts";
import { TokenStandardNetwork } from "./token-standard-network.ts";
import { TokenSwapLedger } from "./token-swap-ledger.ts";

interface Clients {
  readonly api: LedgerApiClient;
  readonly registry: RegistryClient;
  readonly profile: NetworkProfile;
}

function clientsOf(endpoint: NetworkEndpoint, now: () => number, address: LedgerAddress): Clients {
  const profile = networkProfiles[endpoint.profile];
  const { requestTimeoutMs, streamIdleMs } = profile;
  const tokens = accessTokens(endpoint.tokens, endpoint.userId, now);
  const api = new LedgerApiClient({ address, tokens, requestTimeoutMs, streamIdleMs });
  const byAdmin = new Map(endpoint.registries);
  const registry = new RegistryClient({ byAdmin, fallback: address }, requestTimeoutMs);
  return { api, registry, profile };
}

/**
 * Opens the network for settlement. `now` returns the venue's time in ms. `address` returns the ledger's current
 * address, if that can change.
 */
export function openNetwork(
  endpoint: NetworkEndpoint,
  now: () => number,
  address: LedgerAddress = endpoint,
): LedgerNetwork {
  const { api, registry, profile } = clientsOf(endpoint, now, address);
  const { userId, operator, custody } = endpoint;
  return new TokenStandardNetwork(api, registry, { profile, userId, operator, custody, now });
}

/** Opens the same network for swaps. */
export function openSwapLedger(
  endpoint: NetworkEndpoint,
  now: () => number,
  address: LedgerAddress = endpoint,
): SwapLedger {
  const { api, registry, profile } = clientsOf(endpoint, now, address);
  const { userId, operator } = endpoint;
  return new TokenSwapLedger(api, registry, { profile, userId, operator });
}
