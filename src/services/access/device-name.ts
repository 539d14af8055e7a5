// The device of a log-in, in words that its owner recognises, such as "Firefox on Windows". A client may send any
// User-Agent, so only words of these tables are kept of it, and nothing is decided by them. Spec SES-21.

/** Longer headers are cut; those of browsers have some 150 characters. */
const lengthMax = 512;

type Names = ReadonlyArray<readonly [mark: RegExp, name: string]>;

/** In this order: most browsers also name those that they are compatible with. */
const browsers: Names = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
];

/** In this order: Android also names Linux, and an iPhone Mac OS X. */
const systems: Names = [
  [/\bAndroid\b/, "Android"],
  [/\biPad\b/, "iPadOS"],
  [/\biPhone\b/, "iOS"],
  [/\bWindows NT\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

function nameIn(names: Names, text: string): string | null {
  return names.find(([mark]) => mark.test(text))?.[1] ?? null;
}

/** The browser and system of a User-Agent header, or the one that is known; null if neither is. */
export function deviceName(userAgent: string): string | null {
  const text = userAgent.slice(0, lengthMax);
  const [browser, system] = [nameIn(browsers, text), nameIn(systems, text)];
  return browser !== null && system !== null ? `${browser} on ${system}` : (browser ?? system);
}
