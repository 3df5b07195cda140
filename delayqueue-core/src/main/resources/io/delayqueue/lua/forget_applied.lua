-- PURPOSE  Forgets old changes of the outbox that no relay will send again.
-- KEYS     1 applied
-- ARGV     1 µs since epoch: those applied before; 2 most to forget
-- RETURNS  {number of changes forgotten; number of changes left}
-- COST     O(log n + f) for f forgotten of n; 3 commands
-- CALLER   OutboxOperations.forget
local applied = KEYS[1]
local old = math.min(redis.call('ZCOUNT', applied, '-inf', '(' .. ARGV[1]), tonumber(ARGV[2]))
if old > 0 then
  redis.call('ZREMRANGEBYRANK', applied, 0, old - 1)
end
return { old, redis.call('ZCARD', applied) }
