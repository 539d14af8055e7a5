// URLs in errors, which repeat what was typed or set, and are kept in logs.

/**
 * Leaves user and password out of the URLs of a text. What follows "://" is
 * left out up to the last "@" of the word, because a password may hold any other character; that may leave out too much.
 */
export function withoutPasswords(text: string): string {
  return text.replace(/:\/\/\S*@/g, "://***@");
}
