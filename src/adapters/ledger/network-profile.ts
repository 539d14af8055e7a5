// The differences between the networks on which the venue can settle, as data: contract names, registry addresses,
// limits and timeouts. No other code depends on the network in use.

import type { Party, VenueTemplates } from "../../ports/ledger/ledger.ts";
import type { LedgerAddress } from "../../ports/ledger/ledger-endpoint.ts";

export type NetworkName = "devnet" | "canton-v1";

export interface NetworkProfile {
  readonly name: NetworkName;
  /** Package names of the venue's contracts, in the form used by commands. */
  readonly memberPackage: string;
  readonly epochPackage: string;
  readonly swapPackage: string;
  /** Maximum time of one request and its answer; after that, the outcome is unknown. */
  readonly requestTimeoutMs: number;
  /** Maximum time that a page of updates waits for further updates. */
  readonly streamIdleMs: number;
  /** Maximum number of entries in a list; a full page means that there may be more. */
  readonly pageMax: number;
  /**
   * Maximum age of a coin's registry context. Contexts expire within minutes, so they are fetched right before each
   * submission.
   */
  readonly contextAgeMsMax: number;
}

const packages = {
  memberPackage: "#venue-member-v1",
  epochPackage: "#venue-epoch-v1",
  swapPackage: "#venue-swap-v1",
};

export const networkProfiles: Readonly<Record<NetworkName, NetworkProfile>> = {
  devnet: {
    ...packages,
    name: "devnet",
    requestTimeoutMs: 10_000,
    streamIdleMs: 20,
    pageMax: 200,
    contextAgeMsMax: 300_000,
  },
  // Commits take 1 to 10 s; the participant answers REQUEST_TIME_OUT after a minute.
  "canton-v1": {
    ...packages,
    name: "canton-v1",
    requestTimeoutMs: 75_000,
    streamIdleMs: 500,
    pageMax: 200,
    contextAgeMsMax: 60_000,
  },
};

/** Names of the interfaces of the token standard, version 1, as used by commands and filters. */
export const tokenInterfaces = {
  holding: "#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding",
  transferFactory:
    "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory",
  transferInstruction:
    "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction",
  allocation: "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation",
  allocationFactory:
    "#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory",
} as const;

/**
 * Metadata keys of a payment: the human-readable reason, and the id of the batch or other change that the payment
 * belongs to.
 */
export const metadataKeys = {
  reason: "splice.lfdecentralizedtrust.org/reason",
  batch: "rialto.exchange/batch-id",
} as const;

/** Returns the full template ids of the venue's contracts on this network. */
export function venueTemplates(profile: NetworkProfile): VenueTemplates {
  const { memberPackage, epochPackage, swapPackage } = profile;
  return {
    memberAuthProposal: `${memberPackage}:Venue.Member:MemberAuthProposal`,
    memberAuth: `${memberPackage}:Venue.Member:MemberAuth`,
    epochChain: `${epochPackage}:Venue.Epoch:EpochChain`,
    epochCommitment: `${epochPackage}:Venue.Epoch:EpochCommitment`,
    swapProposal: `${swapPackage}:Venue.Swap:SwapProposal`,
    swapTrade: `${swapPackage}:Venue.Swap:SwapTrade`,
  };
}

/** Addresses of registries by instrument admin; `fallback` serves all other instruments. */
export interface RegistryEndpoints {
  readonly byAdmin: ReadonlyMap<Party, string>;
  readonly fallback: LedgerAddress;
}
