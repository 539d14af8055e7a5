// The steps of a recorded conversation with a front: requests and their senders. The steps are stored with the answers,
// so that a comparison repeats the recorded requests whatever the current API documents contain.

/** The sender of a request. The senders at the end of the list sign wrongly, each in its own way. */
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
  /** Parameters in the order in which they are sent. */
  readonly pairs: ReadonlyArray<readonly [name: string, value: string]>;
  /** Whether parameters are sent in a form body. */
  readonly isForm?: boolean;
  /** Body as JSON, for the native surface. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the answer to store. Later steps use them in path, parameters and body, as `{{orderId}}`. */
  readonly keeps?: readonly string[];
}

/** Something that the test makes happen at the venue between requests, such as a trade, by name. */
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

/** A connection with a listen key, and the number of frames that its requests cause. */
export interface UserStep {
  readonly do: "user";
  readonly path: string;
  readonly asks: readonly HttpStep[];
  readonly frames: number;
}

/** A connection to streams. After the deed, each of the streams sends a frame. */
export interface StreamStep {
  readonly do: "streams";
  readonly path: string;
  readonly names: readonly string[];
  readonly deed: string;
}

export type Step = HttpStep | DeedStep | SessionStep | UserStep | StreamStep;

/** A step with everything that it produced, as text. */
export interface Exchange {
  readonly step: Step;
  readonly answer: string;
}
