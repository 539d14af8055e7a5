-- Funding is read from the journal itself: settlements of a market (kind fundingStarted) and payments of
-- an account (kind fundingPaid) are rare among its rows. The market stands at a fixed place of the body.
create index journal_fundings on journal ((get_byte(body, 44)), ts_us) where kind = 26;
create index journal_funding_payments on journal (account, ts_us) where kind = 27;
