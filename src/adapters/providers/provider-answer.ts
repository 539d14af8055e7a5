// From a provider's answer to what it means: JSON of a known form, or nothing.

import type * as z from "zod";
import type { ProviderReply } from "./reply-reader.ts";

/** The body of a reply with that status as `schema` has it; null for anything else. */
export function answerOf<S extends z.ZodType>(
  schema: S,
  reply: ProviderReply,
  status = 200,
): z.output<S> | null {
  if (reply.kind !== "answer" || reply.status !== status) return null;
  const read = schema.safeParse(jsonOf(reply.text));
  return read.success ? read.data : null;
}

/** A reply in words for the operator; bodies are cut, because strangers write them. */
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
