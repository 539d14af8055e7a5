// The location and access of a ledger network, as plain data that can be passed to a thread. Types only.

import type { Instrument, Party } from "./ledger.ts";

/** How access tokens for the participant are obtained. */
export type TokenSource =
  /** Minted from a secret shared with the ledger. */
  | { readonly kind: "minted"; readonly secret: string }
  /** A fixed token from the configuration; another program must renew it. */
  | { readonly kind: "given"; readonly token: string }
  /** Fetched from an identity provider with the client credentials grant. */
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
  /** Registries by admin; other admins' registries are expected at the participant's address. */
  readonly registries: readonly (readonly [admin: Party, url: string])[];
  readonly tokens: TokenSource;
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
}

/** Current addresses of a network: read for each request, because a ledger may restart elsewhere. */
export interface LedgerAddress {
  readonly url: string;
}

/** A network with its instruments. */
export interface LedgerEndpoint {
  readonly network: NetworkEndpoint;
  /** Instruments of custody and members, by asset code. */
  readonly instruments: readonly (readonly [code: string, instrument: Instrument])[];
  /** The API of wallets and faucet; null where parties host their own wallets. */
  readonly admin: { readonly url: string; readonly token: string } | null;
}
