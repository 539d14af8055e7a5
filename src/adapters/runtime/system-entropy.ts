// Provides randomness from the operating system, for secrets, key names and nonces.

import { randomBytes, randomInt } from "node:crypto";
import type { Entropy } from "../../ports/entropy.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export const systemEntropy: Entropy = {
  bytes: (count) => randomBytes(count),
  // Unlike a byte modulo 62, randomInt is unbiased.
  text: (length) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join(""),
};
