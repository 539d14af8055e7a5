// Parses a provider's answer: JSON of a known shape; everything else is ignored.

import type * as z from "zod";
import type { ProviderReply } from "./reply-reader.ts";

/** Parses the body of a reply by `schema`; returns null if the reply has another status or does not match. */
export function answerOf<S extends z.ZodType>(
  schema: S,
  reply: ProviderReply,
  status = 200,
): z.output<S> | null {
  if (reply.kind !== "answer" || reply.status !== status) return null;
  const read = schema.safeParse(jsonOf(reply.text));
  return read.success ? read.data : null;
}

/** Formats a reply for the operator; truncates its body, which is untrusted. */
export function shownReply(reply: ProviderReply): string {
  if (reply.kind === "late") return "no answer in time";
  if (reply.kind === "fault") return reply.message;
  return `${reply.status} ${reply.text.slice(0, 200).replace(/[^ -~]/g, "?")}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
