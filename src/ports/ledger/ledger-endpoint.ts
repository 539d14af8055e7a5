// Where a ledger network is and how one speaks to it, as plain data that a thread can be handed. Types
// only.

import type { Instrument, Party } from "./ledger.ts";

/** How tokens for the participant are come by. */
export type TokenSource =
  /** Minted from a secret that is shared with the ledger. */
  | { readonly kind: "minted"; readonly secret: string }
  /** Given once; somebody else keeps it fresh. */
  | { readonly kind: "given"; readonly token: string }
  /** Fetched from an identity provider by the grant of client credentials. */
  | {
      readonly kind: "credentials";
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly audience: string | null;
    };

export interface NetworkEndpoint {
  readonly profile: "devnet" | "canton-v1";
  readonly url: string;
  /** Registries by admin; every other admin's is expected at the participant's own address. */
  readonly registries: readonly (readonly [admin: Party, url: string])[];
  readonly tokens: TokenSource;
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
}

/** Where a network's doors are now: asked for each request, because a ledger may come back elsewhere. */
export interface LedgerAddress {
  readonly url: string;
}

/** A network with what is held on it. */
export interface LedgerEndpoint {
  readonly network: NetworkEndpoint;
  /** What custody and members hold, by the asset's code. */
  readonly instruments: readonly (readonly [code: string, instrument: Instrument])[];
  /** The API of wallets and faucet; null where parties keep their own. */
  readonly admin: { readonly url: string; readonly token: string } | null;
}
