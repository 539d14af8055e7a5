-- Conditional orders are asked for alone, and are few among an account's orders. An order keeps its type
-- when it triggers (3: the first conditional one), so its later versions need no new entries.
create index orders_conditional on orders (account, market, order_id) where type >= 3;
