// What a front counts about itself, by the name under which /metrics shows it.

/** Figures of one front: each is read at every scrape. */
export interface FrontFigures {
  readonly front_commands_in_flight: number;
  readonly front_requests_unanswered: number;
  readonly front_folded_seq: number;
  readonly front_open_orders: number;
  readonly front_accounts_left: number;
  readonly front_stream_connections: number;
  readonly front_stream_connections_behind: number;
  readonly front_streams_live: number;
}

/** What each figure says, for whoever reads the metrics. */
export const figureWords: { readonly [Name in keyof FrontFigures]: string } = {
  front_commands_in_flight: "Commands sent to clearing that wait for their reply",
  front_requests_unanswered: "Requests taken and not yet answered",
  front_folded_seq: "Last event in this front's read model",
  front_open_orders: "Open orders in this front's read model",
  front_accounts_left: "Accounts that can still be opened",
  front_stream_connections: "Open stream connections",
  front_stream_connections_behind: "Stream connections whose client reads too slowly",
  front_streams_live: "Streams with a subscriber",
};
