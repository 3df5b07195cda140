-- Purges dead letters kept for long enough, and counts messages that another program deleted keys of.
-- A step of claim.lua.
local MOST_PURGED = 100
local old = redis.call('ZRANGEBYSCORE', dead, '-inf', digits(now - retention), 'LIMIT', 0, MOST_PURGED)
if #old > 0 then
  redis.call('ZREM', dead, unpack(old))
  redis.call('HDEL', messages, unpack(old))
  redis.call('HDEL', errors, unpack(old))
  redis.call('HDEL', attempts, unpack(old))
  redis.call('HINCRBY', meta, 'purged', #old)
end
unscheduled = redis.call('HLEN', messages) - redis.call('ZCARD', leased) - redis.call('ZCARD', dead)
for priority = 0, 9 do
  unscheduled = unscheduled - redis.call('ZCARD', scheduled(priority))
end
unscheduled = math.max(0, unscheduled)
