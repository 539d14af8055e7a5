// Differences between the networks the venue can settle on, as data: contract names, registry addresses,
// limits and timeouts. No code depends on the network otherwise.

import type { Party, VenueTemplates } from "../../ports/ledger/ledger.ts";
import type { LedgerAddress } from "../../ports/ledger/ledger-endpoint.ts";

export type NetworkName = "devnet" | "canton-v1";

export interface NetworkProfile {
  readonly name: NetworkName;
  /** Packages of the venue's contracts, as commands name them. */
  readonly memberPackage: string;
  readonly epochPackage: string;
  readonly swapPackage: string;
  /** How long one exchange may take before its outcome is unknown. */
  readonly requestTimeoutMs: number;
  /** How long a page of updates may wait for more. */
  readonly streamIdleMs: number;
  /** Entries per list; a full page means there is more. */
  readonly pageMax: number;
  /** Contexts of coins expire within minutes, so they are fetched right before each submission. */
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

/** Interfaces of the token standard, version 1, as commands and filters name them. */
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

/** Metadata keys of a payment: the human-readable reason, and the id of the batch or other change that it pays. */
export const metadataKeys = {
  reason: "splice.lfdecentralizedtrust.org/reason",
  batch: "rialto.exchange/batch-id",
} as const;

/** Full template ids of the venue's contracts on this network. */
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

/** Registry address by instrument admin; `fallback` serves all others. */
export interface RegistryEndpoints {
  readonly byAdmin: ReadonlyMap<Party, string>;
  readonly fallback: LedgerAddress;
}
