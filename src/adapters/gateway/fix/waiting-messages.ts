// The messages of one FIX connection that wait for an answer: to the Logon, or to an earlier request. Spec FIX-5, FIX-23.

import type { FixMessage } from "./fix-codec.ts";
import { waitingCharactersMax, waitingMessagesMax } from "./fix-limits.ts";

export class WaitingMessages {
  #messages: FixMessage[] = [];
  #characters = 0;

  /** The oldest message; undefined if none waits. */
  get first(): FixMessage | undefined {
    return this.#messages[0];
  }

  /** Adds a message; false if too many, or too long ones, wait. */
  add(message: FixMessage): boolean {
    const characters = this.#characters + message.characters;
    if (this.#messages.length >= waitingMessagesMax || characters > waitingCharactersMax)
      return false;
    this.#messages.push(message);
    this.#characters = characters;
    return true;
  }

  /** Removes the oldest message. */
  dropFirst(): void {
    this.#characters -= this.#messages.shift()?.characters ?? 0;
  }

  /** Removes and returns all messages, oldest first. */
  takeAll(): readonly FixMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#characters = 0;
    return messages;
  }
}
