// What a load run sends: it asks a source for whole requests and tells it what came back. One
// request at a time is out on a connection, so its place among the connections says whose answer
// it is. Types only.

export interface RequestSource {
  /** The next request for connection `place`, whole and ready to send; null for none this time. */
  next(place: number): string | null;
  /** The answer to the last request of `place`; the body is valid during the call only. */
  answered(place: number, status: number, body: Buffer): void;
  /** The connection of `place` was lost with its request unanswered: the outcome is unknown. */
  lost(place: number): void;
}
