// Times of the spot surface in microseconds, for clients that request them. Answers are always rendered with
// milliseconds. The finished text is converted only for the few clients that want microseconds, so that other clients
// pay nothing for it.

const timeFields =
  /"(serverTime|time|updateTime|transactTime|transactionTime|workingTime|openTime|closeTime|authorizedSince|connectedSince|T)":([1-9]\d*)/g;

/**
 * Times in the frames of streams. In some frames a one-letter name means another number, so only numbers of 13 digits
 * count as times.
 */
const frameTimes = /"(E|T|O|C|W|t|u|time|updateTime|workingTime)":(\d{13})(?=[,}])/g;

/** A row of klines: open time, five texts, close time. */
const klineTimes = /\[(\d+),((?:"[^"]*",){5})(\d+),/g;

/** The text of a stream's frame with its times in microseconds. */
export function frameInMicroseconds(text: string): string {
  return text.replace(frameTimes, '"$1":$2000');
}

/** A JSON text of the spot surface with its times in microseconds. */
export function inMicroseconds(text: string): string {
  return text.replace(timeFields, '"$1":$2000').replace(klineTimes, "[$1000,$2$3000,");
}
