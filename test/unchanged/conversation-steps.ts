// The steps of a recorded conversation with a front: requests and their senders. They are stored with the answers,
// so that a comparison repeats the recorded requests whatever the current route documents say.

/** Senders; each of the last ones signs wrongly in one way. */
export type Requester =
  | "nobody"
  | "trader"
  | "other"
  | "reader"
  | "ruined"
  | "session"
  | "stranger"
  | "forged"
  | "late"
  | "untimed";

export interface HttpStep {
  readonly do: "http";
  readonly method: string;
  readonly path: string;
  readonly by: Requester;
  /** Parameters in the order they are sent. */
  readonly pairs: ReadonlyArray<readonly [name: string, value: string]>;
  /** True: parameters are sent in a form body. */
  readonly isForm?: boolean;
  /** JSON of the native surface. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the answer that later steps use in path, parameters and body, as `{{orderId}}`. */
  readonly keeps?: readonly string[];
}

/** A named event at the venue between requests. */
export interface DeedStep {
  readonly do: "deed";
  readonly name: string;
}

/** A request of an order session. */
export interface SessionRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
  readonly by: Requester;
}

export interface SessionStep {
  readonly do: "session";
  readonly path: string;
  readonly asks: readonly SessionRequest[];
}

/** A connection with a listen key, and the number of frames that these requests produce. */
export interface UserStep {
  readonly do: "user";
  readonly path: string;
  readonly asks: readonly HttpStep[];
  readonly frames: number;
}

/** A connection with streams that each send something after the event. */
export interface StreamStep {
  readonly do: "streams";
  readonly path: string;
  readonly names: readonly string[];
  readonly deed: string;
}

export type Step = HttpStep | DeedStep | SessionStep | UserStep | StreamStep;

/** A step with everything it produced, as text. */
export interface Exchange {
  readonly step: Step;
  readonly answer: string;
}
