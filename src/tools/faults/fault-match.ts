// Whether a fault happens to a request or a frame: its filter and its window of time.

import type { FaultFilter, FaultWindow } from "../../../schemas/fault-profile.ts";

/** What filters look at. Texts are empty, and the market null, where there are none. */
export interface FaultSubject {
  readonly path: string;
  readonly method: string;
  readonly market: string | null;
  readonly event: string;
  /** Name of the stream, of a stream frame. */
  readonly stream: string;
  /** Whether it is a book: an answer or a frame with levels. */
  readonly isDepth: boolean;
}

/** Filters of one profile, with their patterns made ready once. */
export class FilterMatch {
  readonly #paths: RegExp | null;
  readonly #methods: RegExp | null;
  readonly #markets: RegExp | null;
  readonly #events: RegExp | null;

  constructor({ paths, methods, markets, events }: FaultFilter) {
    this.#paths = anyOf(paths);
    this.#methods = anyOf(methods);
    this.#markets = anyOf(markets?.map(plainMarket));
    this.#events = anyOf(events);
  }

  matches({ path, method, market, event, stream }: FaultSubject): boolean {
    return (
      ((this.#paths?.test(path) ?? true) ||
        (stream !== "" && this.#paths?.test(stream) === true)) &&
      (this.#methods?.test(method) ?? true) &&
      (this.#markets?.test(plainMarket(market ?? "")) ?? true) &&
      (this.#events?.test(event) ?? true)
    );
  }
}

/** A symbol without hyphens, because one market has spellings with and without. */
function plainMarket(symbol: string): string {
  return symbol.replaceAll("-", "");
}

/** One expression for all patterns. Stars that follow each other are one, so that no text takes long to match. */
function anyOf(patterns: readonly string[] | undefined): RegExp | null {
  if (patterns === undefined) return null;
  const parts = patterns.map((pattern) =>
    pattern
      .split(/\*+/)
      .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*"),
  );
  return new RegExp(`^(?:${parts.join("|")})$`, "i");
}

/** Whether the window is open `elapsedMs` after the profile was applied. */
export function isWithin({ after_ms, for_ms, every_ms }: FaultWindow, elapsedMs: number): boolean {
  const sinceMs = elapsedMs - after_ms;
  if (sinceMs < 0) return false;
  if (for_ms === undefined) return true;
  return (every_ms === undefined ? sinceMs : sinceMs % every_ms) < for_ms;
}
