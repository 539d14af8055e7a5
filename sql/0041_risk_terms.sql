-- What an operator reads of the terms of risk and of what the index of a market rests on: from the journal itself.

create index journal_risk_terms on journal (seq) where kind = 46;
create index journal_index_states on journal (get_byte(body, 48), seq) where kind = 47;
