-- What an operator reads of the insurance fund's hour in a market: from the journal itself.

create index journal_fund_hours on journal (get_byte(body, 40), seq) where kind = 49;
