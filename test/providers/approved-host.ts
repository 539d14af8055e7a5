// Sets up a scripted provider for a whole venue: registers it over HTTP, has the operator approve it, and waits
// until it is available.

import { randomBytes } from "node:crypto";
import { until } from "../support/venue/ledger-venue.ts";
import { ProviderHost, quoting } from "./provider-host.ts";
import { newProviderKey, sendSigned } from "./signed-request.ts";

/** The venue's address, and its operator interface, which approves providers. */
export interface ApprovingVenue {
  readonly address: string;
  readonly operator: { readonly providers: { approve(provider: string): Promise<unknown> } };
}

/** Opens an approved provider that quotes 0.1500 for any request, from the given party or a random one. */
export async function approvedHost(
  venue: ApprovingVenue,
  party = `maker::1220${randomBytes(32).toString("hex")}`,
) {
  const key = newProviderKey();
  const host = await ProviderHost.open();
  const { json, text } = await sendSigned(venue.address, key, {
    method: "POST",
    path: "/v1/lp/register",
    body: {
      ...{ name: "scripted", url: host.url, party_id: party },
      ...{ public_key: key.publicKey, pairs: ["CC-USDC"] },
    },
  });
  const provider: string | undefined = json?.provider_id;
  if (provider === undefined) throw new Error(text);
  host.answer("quotes", quoting(party));
  await venue.operator.providers.approve(provider);
  const path = "/v1/lp/status";
  await until(async () => {
    const status = await sendSigned(venue.address, key, { method: "GET", path });
    return status.json.health === "ok";
  });
  return { host, party, provider };
}
