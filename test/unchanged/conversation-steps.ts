// The steps of a recorded conversation with a front: what is asked, and by whom. They are kept beside the answers,
// so that a comparison asks what was asked then, whatever the documents of the routes say today.

/** Who asks; the last ones sign wrongly in one way each. */
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
  /** True: parameters stand in a form body. */
  readonly isForm?: boolean;
  /** JSON of the native surface. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What of the answer later steps name, as `{{orderId}}` in path, parameters and body: names of its fields. */
  readonly keeps?: readonly string[];
}

/** Something happens at the venue meanwhile; by name. */
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

/** A connection with a listen key, and what it tells of requests: as many frames. */
export interface UserStep {
  readonly do: "user";
  readonly path: string;
  readonly asks: readonly HttpStep[];
  readonly frames: number;
}

/** A connection whose streams each tell something of a deed. */
export interface StreamStep {
  readonly do: "streams";
  readonly path: string;
  readonly names: readonly string[];
  readonly deed: string;
}

export type Step = HttpStep | DeedStep | SessionStep | UserStep | StreamStep;

/** A step with all that came of it, as text. */
export interface Exchange {
  readonly step: Step;
  readonly answer: string;
}
