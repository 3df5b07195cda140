-- PURPOSE  Deletes dead letters.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors
-- ARGV     1 partitions believed in; 2 most to purge (1..512); 3 those that died longer ago than this, µs;
--          or an empty 3, then ids, distinct
-- RETURNS  how many were purged
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(n log d) for n of d dead
-- CALLER   RedisMessageStore.purge
local meta, messages, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[4], KEYS[5], KEYS[6]
local limit, age = tonumber(ARGV[2]), ARGV[3]

local partitions = redis.call('HGET', meta, 'partitions') or '1'
if partitions ~= ARGV[1] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

local ids = {}
if age == '' then
  for i = 4, #ARGV do
    if redis.call('ZSCORE', dead, ARGV[i]) then
      ids[#ids + 1] = ARGV[i]
    end
  end
else
  local time = redis.call('TIME')
  local before = time[1] * 1000000 + time[2] - tonumber(age)
  ids = redis.call('ZRANGEBYSCORE', dead, '-inf', '(' .. string.format('%.0f', before), 'LIMIT', 0, limit)
end
if #ids == 0 then
  return 0
end

redis.call('ZREM', dead, unpack(ids))
redis.call('HDEL', messages, unpack(ids))
redis.call('HDEL', errors, unpack(ids))
redis.call('HDEL', attempts, unpack(ids))
redis.call('HINCRBY', meta, 'purged', #ids)
return #ids
