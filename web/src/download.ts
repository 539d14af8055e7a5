// Saves a text as a file of the user.

/** Offers `text` as a download; the browser asks or saves, as its user has set. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has its own reference once the click is handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
