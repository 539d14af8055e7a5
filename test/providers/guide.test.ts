// Proves that the samples and the vector in the provider guide are correct, by reading them from the page. The venue
// must send or accept each sample body, and the printed signature must be that of the printed text.

import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type * as z from "zod";
import { registerBody } from "../../schemas/http/native.ts";
import {
  acceptAnswer,
  acceptBody,
  cancelBody,
  healthAnswer,
  quoteAnswer,
  quoteBody,
  refusalAnswer,
  resultBody,
} from "../../schemas/http/provider-api.ts";
import { signMessage } from "../../src/services/access/message-signature.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const page = readFileSync(join(projectRoot, "docs/guides/be-a-liquidity-provider.md"), "utf8");

function blocks(language: string): string[] {
  const form = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, "gm");
  return [...page.matchAll(form)].map(([, text = ""]) => text);
}

function cell(label: string): string {
  const found = new RegExp(`^\\| ${label} \\| (.*) \\|$`, "m").exec(page);
  return (found?.[1] ?? "").replaceAll("`", "");
}

test("LPP-1 the venue sends or accepts every sample body of the guide", () => {
  const forms: readonly z.ZodObject[] = [
    registerBody,
    quoteBody,
    healthAnswer,
    quoteAnswer,
    acceptBody,
    acceptAnswer,
    refusalAnswer,
    resultBody,
    cancelBody,
  ];
  const samples = blocks("json");
  assert.equal(samples.length, forms.length);
  for (const [at, form] of forms.entries()) {
    const sample: unknown = JSON.parse(samples[at] ?? "");
    // A strict schema refuses unknown fields, so a sample cannot contain an unused one.
    assert.deepEqual(form.strict().parse(sample), sample);
  }
});

test("LPP-1 the guide's signature is valid for the printed signature base and request", () => {
  const seed = Buffer.from(cell("seed, hexadecimal"), "hex");
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const [base = "", printed = ""] = blocks("text");
  const headers = Object.fromEntries(
    printed.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
    }),
  );
  const signature = sign(null, Buffer.from(base), key).toString("base64");
  assert.equal(headers["signature"], `venue=:${signature}:`);
  const [method = "", authority = "", path = ""] = cell("method, authority, path").split(", ");
  const [, body = ""] = blocks("json");
  const made = signMessage(
    { method, authority, path, body },
    {
      key,
      keyId: cell("key id"),
      idempotencyKey: cell("idempotency key"),
      nonce: Buffer.from(cell("nonce, hexadecimal"), "hex"),
      nowMs: Number(cell("created")) * 1000,
    },
  );
  assert.deepEqual({ ...made }, headers);
});
