-- PURPOSE  Brings dead letters back to life: due at once, attempts forgotten.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 command and channel for wake-ups, or empty; 2 partitions believed in; 3 most to redrive (1..512);
--          4 those that died until then µs, or -1 for now; or after 3 and an empty 4: ids, distinct
-- RETURNS  {how many were redriven; now µs}
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(n log m) for n messages, m pending
-- CALLER   RedisMessageStore.redrive
local meta, messages, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[4], KEYS[5], KEYS[6]
local publish, channel = string.match(ARGV[1], '^(%u+) (.*)$')
local limit, until_us = tonumber(ARGV[3]), ARGV[4]

local partitions = redis.call('HGET', meta, 'partitions') or '1'
if partitions ~= ARGV[2] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_text = string.format('%.0f', now)
local ids = {}
if until_us == '' then
  for i = 5, #ARGV do
    if redis.call('ZSCORE', dead, ARGV[i]) then
      ids[#ids + 1] = ARGV[i]
    end
  end
else
  ids = redis.call('ZRANGEBYSCORE', dead, '-inf', until_us == '-1' and now_text or until_us, 'LIMIT', 0, limit)
end
if #ids == 0 then
  return { 0, now }
end

local additions, levels = {}, redis.call('HGET', meta, 'levels') or ''
local levels_before = levels
for i, reason in ipairs(redis.call('HMGET', errors, unpack(ids))) do
  -- the priority stands before the error, so that the bodies need not be read
  local level = tonumber(string.sub(reason or '', 1, 1)) or 4
  local adding = additions[level] or {}
  additions[level] = adding
  adding[#adding + 1] = now_text
  adding[#adding + 1] = ids[i]
  if level ~= 4 and not string.find(levels, level, 1, true) then
    levels = levels .. level
  end
end

redis.call('ZREM', dead, unpack(ids))
redis.call('HDEL', errors, unpack(ids))
redis.call('HDEL', attempts, unpack(ids))
for level, adding in pairs(additions) do
  redis.call('ZADD', KEYS[7 + level], unpack(adding))
end
if levels ~= levels_before then
  redis.call('HSET', meta, 'levels', levels)
end
redis.call('HINCRBY', meta, 'redriven', #ids)
if publish then
  redis.pcall(publish, channel, '0')
end
return { #ids, now }
