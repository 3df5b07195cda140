-- PURPOSE  Schedules dead letters again: due at once, attempts forgotten.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 command and channel for wake-ups, or empty; 2 partition count that the caller assumes; 3 most to redrive (1..512);
--          4 µs: those dead-lettered until then, or -1 for now; or after 3 and an empty 4: ids, distinct
-- RETURNS  {number of dead letters redriven; now µs}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending
-- CALLER   RedisMessageStore.redrive
--@include keys
--@include numbers
--@include scheduling
--@include dead_error
--@include wake_up
local limit, until_us = tonumber(ARGV[3]), ARGV[4]

local assumed_partitions = ARGV[2]
--@include partition_check

--@include now
local now_text = digits(now)
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
for i, entry in ipairs(redis.call('HMGET', errors, unpack(ids))) do
  schedule_later(error_priority(entry), now_text, ids[i])
end

redis.call('ZREM', dead, unpack(ids))
redis.call('HDEL', errors, unpack(ids))
redis.call('HDEL', attempts, unpack(ids))
write_scheduled()
redis.call('HINCRBY', meta, 'redriven', #ids)
wake_up(ARGV[1], 0)
return { #ids, now }
