// One log-in for all tabs of the browser. A tab that opens asks the others, and one that is logged in answers with its
// session; so the log-in lives as long as one of them is open, and is never written where it would outlive them. The private
// keys stay in the browser's storage, which all tabs of this address have in common, and cannot be read. Decision 0096.

export interface Session {
  readonly token: string;
  readonly expiresMs: number;
  readonly userId: string;
  readonly partyId: string;
  readonly accountType: string;
  /** The API key of this session, for the streams and for signed requests. */
  readonly apiKey: string;
}

export type SessionMessage =
  | { readonly kind: "wanted" }
  | { readonly kind: "begun"; readonly session: Session }
  | { readonly kind: "ended"; readonly token: string };

/** Only pages of this address hear it. */
const channel = new BroadcastChannel("rialto-session");

export function tellTabs(message: SessionMessage): void {
  channel.postMessage(message);
}

const texts = ["token", "userId", "partyId", "accountType", "apiKey"] as const;

/** Whether a value is a session that has not ended. Another version of the page may have sent it. */
function isCurrent(value: Session): boolean {
  const isWhole = texts.every((name) => typeof value[name] === "string");
  return isWhole && value.expiresMs > Date.now();
}

/** Calls `take` for each message of another tab, and for a session only if it is one that has not ended. */
export function listenToTabs(take: (message: SessionMessage) => void): void {
  channel.onmessage = ({ data }: MessageEvent<SessionMessage>) => {
    if (data.kind !== "begun" || isCurrent(data.session)) take(data);
  };
}
