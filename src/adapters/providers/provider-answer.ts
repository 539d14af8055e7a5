// Parses a provider's answer: JSON of a known form, or nothing.

import type * as z from "zod";
import type { ProviderReply } from "./reply-reader.ts";

/** The body of a reply with that status, parsed by `schema`; null otherwise. */
export function answerOf<S extends z.ZodType>(
  schema: S,
  reply: ProviderReply,
  status = 200,
): z.output<S> | null {
  if (reply.kind !== "answer" || reply.status !== status) return null;
  const read = schema.safeParse(jsonOf(reply.text));
  return read.success ? read.data : null;
}

/** A reply as text for the operator; untrusted bodies are truncated. */
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
