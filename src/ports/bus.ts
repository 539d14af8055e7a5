// The bus between gateways and the leader: messages by subject, at most once. A message may be lost at any time, also
// after `publish` returned true; who needs more numbers the messages, and asks elsewhere for what is missing. Messages
// of one sender on one subject arrive in the order in which they were sent.

/** Answers a request. */
export type Answer = (bytes: Uint8Array) => void;

export interface Bus {
  /** True while the bus is connected. A lost connection is noticed late. */
  readonly isConnected: boolean;
  /**
   * Sends `bytes`, which the caller must not change afterwards. Returns false if the bus is not connected: then the
   * message was certainly not sent, and will not be.
   */
  publish(subject: string, bytes: Uint8Array): boolean;
  /**
   * Calls `take` with every message of `subject` from now on, over all connections. `answer` reaches the sender of a
   * request.
   */
  subscribe(subject: string, take: (bytes: Uint8Array, answer: Answer) => void): void;
  /** Sends a request; resolves with the first answer, or with null if none comes within `timeoutMs`. */
  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array | null>;
  /** Calls `told` whenever the bus is connected, with all subscriptions in place, and whenever it is lost. */
  onChange(told: (isConnected: boolean) => void): void;
  /** Disconnects for good, after what was sent has left. */
  close(): Promise<void>;
}

/** The subjects of one venue. */
export interface BusSubjects {
  /** Requests of gateways to join. */
  readonly join: string;
  /** Committed events, to all gateways. */
  readonly groups: string;
  /** Commands of the gateway in this slot. */
  commands(slot: number): string;
  /** Replies to the gateway in this slot. */
  replies(slot: number): string;
}

/** Returns the subjects of a venue; `venue` has letters, digits and hyphens. */
export function busSubjects(venue: string): BusSubjects {
  const prefix = `rialto.${venue}`;
  return {
    join: `${prefix}.join`,
    groups: `${prefix}.groups`,
    commands: (slot) => `${prefix}.commands.${slot}`,
    replies: (slot) => `${prefix}.replies.${slot}`,
  };
}
