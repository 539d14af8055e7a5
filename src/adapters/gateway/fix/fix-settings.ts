// The settings of the FIX listeners, as a venue or gateway is configured.

export interface FixSettings {
  /** Port of orders and drop copies, and port of market data; null for none. */
  readonly port: number | null;
  readonly marketDataPort: number | null;
  /** Files with certificate and key as PEM; null for listeners without TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
}
