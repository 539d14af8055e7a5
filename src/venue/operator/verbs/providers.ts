// `providers …`: liquidity providers and whether the venue requests quotes from them.

import { Option } from "commander";
import * as z from "zod";
import { type Noun, type Verb, verb } from "./verb.ts";

/** Returns a verb that takes no reason. */
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

/** Returns a verb that takes a reason, which the provider sees. */
function verdict(name: "refuse" | "suspend", summary: string): Verb {
  return verb({
    usage: `${name} <provider> <reason>`,
    summary: `${summary}; the provider sees the reason`,
    examples: [`providers ${name} 0198f1c2-… "no contract"`],
    request: z.object({ provider: z.uuid(), reason: z.string().min(1).max(200) }),
    toRequest: ([provider = "", reason = ""]) => ({ provider, reason }),
    run: ({ operator }, { provider, reason }) => operator.providers[name](provider, reason),
  });
}

export const providerVerbs: Noun = {
  name: "providers",
  summary: "manage the liquidity providers that quote swaps",
  verbs: [
    verb({
      usage: "list",
      summary: "list registered providers, newest first",
      examples: ["providers list --json"],
      run: ({ operator }) => operator.providers.list(),
    }),
    change("approve", "approve a registered provider: the venue requests quotes from it"),
    verdict("refuse", "reject a registration"),
    verdict("suspend", "suspend an approved provider: the venue requests no more quotes"),
    change("resume", "resume a suspended provider"),
    verb({
      usage: "rotate-key",
      summary:
        "rotate the key that signs requests to providers; the new key signs after ten minutes",
      options: [new Option("--now", "switch immediately: the old key is compromised")],
      examples: ["providers rotate-key"],
      request: z.object({ now: z.boolean().default(false) }),
      toRequest: (_, { now }: { now?: boolean }) => ({ now: now ?? false }),
      run: ({ operator }, { now }) => operator.providers.rotateKey(now),
    }),
  ],
};
