// The stream reference: channels and their frames, generated from the AsyncAPI document of the venue.

import { fieldTable, type JsonSchema } from "./field-table.ts";
import { addressOf, made } from "./portal-map.ts";
import { escaped, type PortalPage } from "./portal-page.ts";

interface Message {
  readonly payload: JsonSchema;
}

interface Channel {
  readonly address: string;
  readonly description?: string;
  readonly messages: Readonly<Record<string, unknown>>;
}

export interface AsyncApi {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

function frame(name: string, { payload }: Message): string {
  return [
    `<h3 id="frame-${name}"><a href="#frame-${name}"><code>${escaped(name)}</code></a></h3>\n`,
    fieldTable(payload),
  ].join("");
}

function channel(name: string, { address, description = "", messages }: Channel): string {
  const names = Object.keys(messages).map(
    (message) => `<a href="#frame-${message}">${escaped(message)}</a>`,
  );
  return [
    `<h2 id="${name}"><a href="#${name}"><code>${escaped(address)}</code></a></h2>\n`,
    `<p>${escaped(description)}</p>\n<p>Frames: ${names.join(", ")}.</p>\n`,
  ].join("");
}

/** The page of all channels and frames. */
export function streamReference({ channels, components }: AsyncApi): PortalPage {
  const guide = addressOf("docs/guides/listen-to-a-venue.md");
  const says = "Every channel of the venue over WebSocket, and every frame that is sent on it.";
  return {
    address: addressOf(made.streams),
    title: "Streams",
    says,
    headings: [
      ...Object.entries(channels).map(([id, { address, description = "" }]) => ({
        id,
        depth: 2,
        title: address,
        words: description,
      })),
      { id: "frames", depth: 2, title: "Frames", words: "" },
      ...Object.keys(components.messages).map((name) => ({
        id: `frame-${name}`,
        depth: 3,
        title: name,
        words: "",
      })),
    ],
    html: [
      `<p>${says} Generated from <a href="/asyncapi.json">the AsyncAPI document</a>;`,
      ` <a href="${guide}">Listen to a venue</a> has examples to run.</p>\n`,
      ...Object.entries(channels).map(([name, each]) => channel(name, each)),
      '<h2 id="frames"><a href="#frames">Frames</a></h2>\n',
      ...Object.entries(components.messages).map(([name, each]) => frame(name, each)),
    ].join(""),
  };
}
