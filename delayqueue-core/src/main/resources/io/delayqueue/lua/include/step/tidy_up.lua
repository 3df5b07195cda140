-- Counts dead letters past their retention, which the consumer purges, and messages that another program deleted keys of. Records
-- the retention, for clients that schedule and don't consume; not for a topic that was never used, or was deleted.
-- A step of claim.lua.
local known = redis.call('HMGET', meta, 'retention', 'accepted')
past_retention = redis.call('ZCOUNT', dead, '-inf', '(' .. digits(now - retention))
unscheduled = redis.call('HLEN', messages) - redis.call('ZCARD', leased) - redis.call('ZCARD', dead)
for priority = 0, SUSPECT_PRIORITY do
  unscheduled = unscheduled - redis.call('ZCARD', scheduled(priority))
end
unscheduled = math.max(0, unscheduled)
if known[2] and known[1] ~= ARGV[6] then
  redis.call('HDEL', meta, 'retention')
  redis.call('HSET', meta, 'retention', ARGV[6])
end
