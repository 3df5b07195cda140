-- PURPOSE  Schedules dead letters again, one after the other, with their attempts reset.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 command and channel for wake-ups, or empty; 2 partition count that the caller assumes; 3 most to redrive (1..512);
--          4 µs: those dead-lettered until then, or -1 for now; empty for all of 7; 5 due of the first: µs since epoch, or
--          -1 - µs from now; 6 µs between two of them, may have a fraction; 7 and more: only
--          these ids, distinct
-- RETURNS  {now µs; id of each dead letter redriven, …}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending
-- CALLER   DeadLetterOperations.redrive
--@include keys
--@include numbers
--@include scheduling
--@include dead_error
--@include wake_up
local limit, until_us, due, interval = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

local assumed_partitions = ARGV[2]
--@include partition_check

--@include now
if due < 0 then
  due = now - 1 - due
end
local ids = {}
if until_us == '-1' then
  until_us = digits(now)
end
for i = 7, #ARGV do
  local since = redis.call('ZSCORE', dead, ARGV[i])
  if since and (until_us == '' or tonumber(since) <= tonumber(until_us)) then
    ids[#ids + 1] = ARGV[i]
  end
end
if #ARGV < 7 and until_us ~= '' then
  ids = redis.call('ZRANGEBYSCORE', dead, '-inf', until_us, 'LIMIT', 0, limit)
end
if #ids == 0 then
  return { now }
end
for i, entry in ipairs(redis.call('HMGET', errors, unpack(ids))) do
  schedule_later(error_priority(entry), digits(math.floor(due + (i - 1) * interval)), ids[i])
end

redis.call('ZREM', dead, unpack(ids))
redis.call('HDEL', errors, unpack(ids))
redis.call('HDEL', attempts, unpack(ids))
write_scheduled()
redis.call('HINCRBY', meta, 'redriven', #ids)
wake_up(ARGV[1], math.max(0, due - now))
table.insert(ids, 1, now)
return ids
