-- What liquidations did to an account is read from the journal itself, where it is rare: money between it
-- and the insurance fund (kind 33) and positions that went from it to another (kind 34), or came to it: the
-- other account stands at a fixed place of the body, below 2^18.
create index journal_insurance on journal (account, ts_us) where kind in (33, 34);
create index journal_positions_taken on journal (
  (get_byte(body, 56) + get_byte(body, 57) * 256 + get_byte(body, 58) * 65536), ts_us
) where kind = 34;
