// The part of an untyped client library that the tests use.

// biome-ignore lint/correctness/noUnresolvedImports: a package of the older kind, without an index.
declare module "@binance/connector" {
  interface StreamCallbacks {
    readonly open?: () => void;
    readonly message?: (text: string) => void;
    readonly close?: () => void;
    readonly error?: (error: Error) => void;
  }
  interface Logger {
    info(...words: unknown[]): void;
    warn(...words: unknown[]): void;
    error(...words: unknown[]): void;
    debug(...words: unknown[]): void;
    log(...words: unknown[]): void;
  }
  export class WebsocketStream {
    constructor(options: {
      readonly wsURL: string;
      readonly combinedStreams: boolean;
      readonly callbacks: StreamCallbacks;
      readonly logger: Logger;
    });
    subscribe(streams: string | readonly string[]): void;
    disconnect(): void;
  }
}
