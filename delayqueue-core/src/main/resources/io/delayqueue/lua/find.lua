-- PURPOSE  Looks one message up.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 partitions believed in; 2 id
-- RETURNS  {now µs; place: S scheduled or ready, L leased, D dead; due, deadline or time of death µs;
--          failed attempts; envelope; error, empty unless dead}, or an empty list
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(1), up to 8 commands
-- CALLER   RedisMessageStore.find
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local id = ARGV[2]

local partitions = redis.call('HGET', meta, 'partitions') or '1'
if partitions ~= ARGV[1] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

local envelope = redis.call('HGET', messages, id)
if not envelope then
  return {}
end
local time = redis.call('TIME')
local place, at = 'L', redis.call('ZSCORE', leased, id)
if not at then
  place, at = 'D', redis.call('ZSCORE', dead, id)
end
if not at then
  place, at = 'S', redis.call('ZSCORE', KEYS[7 + (tonumber(string.sub(envelope, 3, 3)) or 4)], id)
end
if not at then
  return {}
end
local failed = tonumber(redis.call('HGET', attempts, id) or 0)
-- the priority stands before the error
local error_text = place == 'D' and string.sub(redis.call('HGET', errors, id) or '', 2) or ''
return { time[1] * 1000000 + time[2], place, tonumber(at), failed, envelope, error_text }
