-- The venue's own closing orders of an account, newest first or from a time on. They are known by the
-- beginning of their client ids, which no client may choose, and are few among all orders.
create index orders_closing on orders (account, market, order_id) where client_id like 'autoclose-%';
