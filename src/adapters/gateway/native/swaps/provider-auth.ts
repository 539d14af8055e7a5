// Authenticates requests of providers under `/v1/lp` by their signature. The signature covers method, host, path and
// body, so a request that was changed on its way is refused. Spec LPS-1 … LPS-5.

import type { Clock } from "../../../../ports/clock.ts";
import type {
  ProviderRecord,
  ProviderRegistry,
} from "../../../../ports/swaps/provider-registry.ts";
import {
  nonceMemoryMs,
  type SignatureFault,
  type VerifiedMessage,
  verifyMessage,
} from "../../../../services/access/message-signature.ts";
import type { PublicAuthority } from "../../../../services/access/public-authority.ts";
import type { SurfaceError } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults, signatureErrors } from "../error-map.ts";

export interface ProviderAuthParts {
  readonly providers: ProviderRegistry;
  readonly clock: Clock;
  /** The host for which requests must be signed. */
  readonly authority: PublicAuthority;
}

export interface SignedBy {
  readonly record: ProviderRecord;
  readonly keyId: string;
}

export class ProviderAuth {
  readonly #parts: ProviderAuthParts;

  constructor(parts: ProviderAuthParts) {
    this.#parts = parts;
  }

  /** The registered provider whose key signed `call`, or the fault. */
  async signer(call: HttpCall): Promise<SignedBy | SurfaceError> {
    const { providers } = this.#parts;
    const found: { record: ProviderRecord | null } = { record: null };
    const verified = await this.#verify(call, async (keyId) => {
      const known = await providers.byKey(keyId);
      found.record = known?.record ?? null;
      return known?.publicKey ?? null;
    });
    if (typeof verified === "string") return signatureErrors[verified];
    if (found.record === null) return nativeFaults.providerUnknown;
    return { record: found.record, keyId: verified.keyId };
  }

  /**
   * Returns null if `call` is signed by the key with that id, otherwise the fault. A registration proves in this way
   * that its sender has the key.
   */
  async provesKey(call: HttpCall, keyId: string, publicKey: string): Promise<SurfaceError | null> {
    const verified = await this.#verify(call, (given) => (given === keyId ? publicKey : null));
    return typeof verified === "string" ? signatureErrors[verified] : null;
  }

  async #verify(
    call: HttpCall,
    publicKey: (keyId: string) => string | null | Promise<string | null>,
  ): Promise<VerifiedMessage | SignatureFault> {
    const { providers, clock, authority } = this.#parts;
    const { signed, method, path, body } = call;
    if (signed === null) return "missing";
    const parts = { method, authority: signed.host, path, body };
    return verifyMessage(parts, signed, {
      publicKey,
      isAuthority: (host) => authority.has(host),
      takeNonce: (keyId, nonce) => providers.takeNonce(keyId, nonce, clock.nowMs(), nonceMemoryMs),
      nowMs: () => clock.nowMs(),
    });
  }
}

/** Returns whether requests to the path are signed by providers. */
export function isProviderPath(path: string): boolean {
  return path.startsWith("/v1/lp/");
}
