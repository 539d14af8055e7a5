// Provides randomness from the operating system, for secrets, key names and nonces.

import { randomBytes, randomInt } from "node:crypto";
import type { Entropy } from "../../ports/entropy.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export const systemEntropy: Entropy = {
  bytes: (count) => randomBytes(count),
  // randomInt is unbiased, unlike a random byte modulo 62.
  text: (length) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join(""),
};
