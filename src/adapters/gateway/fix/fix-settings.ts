// The settings of the FIX listener, as a venue or gateway is configured.

export interface FixSettings {
  readonly port: number;
  /** Files with certificate and key as PEM; null for a listener without TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly connectionsPerAddressMax: number;
}
