-- Orders of perpetuals have a smallest value, 5 of the margin asset for all of them (src/core/limits.ts). What
-- is smaller and open stays: the rule is asked of new orders.

update markets
set min_notional = 5 * power(10, assets.decimals)::bigint
from assets
where markets.kind = 1 and assets.asset = markets.quote_asset;
