// `providers …`: who offers to quote swaps, and whether the venue asks them.

import { Option } from "commander";
import * as z from "zod";
import { type Noun, type Verb, verb } from "./verb.ts";

/** On a provider alone. */
function change(name: "approve" | "resume", summary: string): Verb {
  return verb({
    usage: `${name} <provider>`,
    summary,
    examples: [`providers ${name} 0198f1c2-…`],
    request: z.object({ provider: z.uuid() }),
    toRequest: ([provider = ""]) => ({ provider }),
    run: ({ operator }, { provider }) => operator.providers[name](provider),
  });
}

/** With a reason that the provider reads. */
function verdict(name: "refuse" | "suspend", summary: string): Verb {
  return verb({
    usage: `${name} <provider> <reason>`,
    summary: `${summary}; it reads the reason`,
    examples: [`providers ${name} 0198f1c2-… "no contract"`],
    request: z.object({ provider: z.uuid(), reason: z.string().min(1).max(200) }),
    toRequest: ([provider = "", reason = ""]) => ({ provider, reason }),
    run: ({ operator }, { provider, reason }) => operator.providers[name](provider, reason),
  });
}

export const providerVerbs: Noun = {
  name: "providers",
  summary: "providers of liquidity for request-for-quote swaps",
  verbs: [
    verb({
      usage: "list",
      summary: "everybody who registered, newest first",
      examples: ["providers list --json"],
      run: ({ operator }) => operator.providers.list(),
    }),
    change("approve", "ask a provider that registered for quotes from now on"),
    verdict("refuse", "turn a registration down"),
    verdict("suspend", "ask an approved provider for nothing more"),
    change("resume", "ask a suspended provider again"),
    verb({
      usage: "rotate-key",
      summary: "sign requests to providers with a new key, in ten minutes",
      options: [new Option("--now", "at once: the old key is not safe any more")],
      examples: ["providers rotate-key"],
      request: z.object({ now: z.boolean().default(false) }),
      toRequest: (_, { now }: { now?: boolean }) => ({ now: now ?? false }),
      run: ({ operator }, { now }) => operator.providers.rotateKey(now),
    }),
  ],
};
