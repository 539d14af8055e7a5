// The address of a ledger network and the way to get access to it, as plain data that can be passed to a thread. Types
// only.

import type { Instrument, Party } from "./ledger.ts";

/** The ways to obtain access tokens for the participant. */
export type TokenSource =
  /** The venue creates the token from a secret that it shares with the ledger. */
  | { readonly kind: "minted"; readonly secret: string }
  /** The configuration contains a fixed token, which another program must renew. */
  | { readonly kind: "given"; readonly token: string }
  /** The venue fetches the token from an identity provider with the client credentials grant. */
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
  /**
   * Addresses of token registries, by the party that administers each. Any other registry is expected at the
   * participant's address.
   */
  readonly registries: readonly (readonly [admin: Party, url: string])[];
  readonly tokens: TokenSource;
  readonly userId: string;
  readonly operator: Party;
  readonly custody: Party;
}

/** Current address of a network. It is read for each request, because a ledger may restart at another address. */
export interface LedgerAddress {
  readonly url: string;
}

/** A network with its instruments. */
export interface LedgerEndpoint {
  readonly network: NetworkEndpoint;
  /** The instruments that custody and members hold, by asset code. */
  readonly instruments: readonly (readonly [code: string, instrument: Instrument])[];
  /** The API of wallets and the faucet; null where parties host their own wallets. */
  readonly admin: { readonly url: string; readonly token: string } | null;
}
