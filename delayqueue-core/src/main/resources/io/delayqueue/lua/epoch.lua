-- PURPOSE  Begins an epoch: changes of the outbox that were read before are refused, and comparisons know that this Redis was
--          compared with another store.
-- KEYS     1 meta
-- ARGV     1 epoch that the caller found, or empty for none; 2 nonce of the new one
-- RETURNS  {epoch after that; changes sent so far; messages acked so far}; another call may have begun an epoch meanwhile
-- COST     O(1), 2 to 4 commands
-- CALLER   RedisMessageStore.outbox
--@include keys
--@include numbers
--@include now
local known = redis.call('HMGET', meta, 'epoch', 'sent', 'acked')
local epoch = known[1] or ''
if epoch == ARGV[1] then
  epoch = digits(now) .. ':' .. ARGV[2]
  -- a deletion first, so that a full Redis does not refuse it
  redis.call('HDEL', meta, 'epoch')
  redis.call('HSET', meta, 'epoch', epoch)
end
return { epoch, tonumber(known[2] or 0), tonumber(known[3] or 0) }
