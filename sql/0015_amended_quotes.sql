-- A mass quote amends up to 30 orders in one transaction, and each entry of an index of their own would cost more than the
-- entry itself. The index has the first of them (byte 55 counts from it), by account and market (byte 52); the others
-- are among the next 59 events.
create index journal_quotes on journal (account, get_byte(body, 52), seq)
  where kind = 64 and get_byte(body, 55) = 0;
