// Client of token standard registries. It fetches the context that an instrument's admin adds to a choice; with this
// context, a submitter who cannot see the admin's contracts can exercise the choice. Contexts expire, so nothing is
// cached.

import type { Party } from "../../ports/ledger/ledger.ts";
import { registryShapes, type Shape } from "./answer-shapes.ts";
import type {
  AllocationFactory,
  ChoiceContext,
  JsonObject,
  TransferFactory,
} from "./api-shapes.ts";
import type { RegistryEndpoints } from "./network-profile.ts";

/** The registry did not return a context, so nothing was submitted to the ledger. */
export class RegistryFault extends Error {
  override name = "RegistryFault";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class RegistryClient {
  readonly #endpoints: RegistryEndpoints;
  readonly #timeoutMs: number;

  constructor(endpoints: RegistryEndpoints, timeoutMs: number) {
    this.#endpoints = endpoints;
    this.#timeoutMs = timeoutMs;
  }

  transferFactory(admin: Party, choiceArguments: JsonObject): Promise<TransferFactory> {
    const path = "/registry/transfer-instruction/v1/transfer-factory";
    return this.#post(admin, path, registryShapes.transferFactory, choiceArguments);
  }

  allocationFactory(admin: Party, choiceArguments: JsonObject): Promise<AllocationFactory> {
    const path = "/registry/allocation-instruction/v1/allocation-factory";
    return this.#post(admin, path, registryShapes.allocationFactory, choiceArguments);
  }

  allocationContext(
    admin: Party,
    allocationId: string,
    choice: "execute-transfer" | "withdraw" | "cancel",
  ): Promise<ChoiceContext> {
    const id = encodeURIComponent(allocationId);
    const path = `/registry/allocations/v1/${id}/choice-contexts/${choice}`;
    return this.#post(admin, path, registryShapes.choiceContext, null);
  }

  async #post<T>(
    admin: Party,
    path: string,
    isAnswer: Shape<T>,
    choiceArguments: JsonObject | null,
  ): Promise<T> {
    const url = this.#endpoints.byAdmin.get(admin) ?? this.#endpoints.fallback.url;
    const body = choiceArguments === null ? {} : { choiceArguments, excludeDebugFields: true };
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const text = await response.text();
    const answer = response.ok ? jsonOf(text) : undefined;
    if (!isAnswer(answer)) {
      const message = `the registry of ${admin} answered ${response.status}: ${text.slice(0, 200)}`;
      throw new RegistryFault(response.status, message);
    }
    return answer;
  }
}

/** Parses JSON; returns undefined for any other text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
