-- PURPOSE  Deletes dead letters.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors
-- ARGV     1 partition count that the caller assumes, empty for any; 2 most to purge (1..512); 3 µs: those dead-lettered longer
--          ago, or empty; 4 1 if the retention that consumers recorded takes precedence over 3, else 0; 5 if 3 is empty, µs since
--          epoch: those dead-lettered until then, or empty for all of 6; 6 and more: only these ids, distinct
-- RETURNS  {{id of each dead letter purged, …}}; if an outbox has sent to the partition, then also: epoch, changes sent so far,
--          messages ended so far
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log d) for n of d dead; up to 8 commands, and 1 more for each id
-- CALLER   DeadLetterOperations.purge
--@include keys
--@include numbers
--@include with_mark
local limit, age = tonumber(ARGV[2]), ARGV[3]

local assumed_partitions = ARGV[1]
if assumed_partitions ~= '' then
  --@include partition_check
end

local ids, until_us = {}, ARGV[5]
if age == '' then
  for i = 6, #ARGV do
    local since = redis.call('ZSCORE', dead, ARGV[i])
    if since and (until_us == '' or tonumber(since) <= tonumber(until_us)) then
      ids[#ids + 1] = ARGV[i]
    end
  end
  if #ARGV < 6 and until_us ~= '' then
    ids = redis.call('ZRANGEBYSCORE', dead, '-inf', until_us, 'LIMIT', 0, limit)
  end
else
  --@include now
  if ARGV[4] == '1' then
    age = redis.call('HGET', meta, 'retention') or age
  end
  ids = redis.call('ZRANGEBYSCORE', dead, '-inf', '(' .. digits(now - tonumber(age)), 'LIMIT', 0, limit)
end
if #ids == 0 then
  return { {} }
end

redis.call('ZREM', dead, unpack(ids))
redis.call('HDEL', messages, unpack(ids))
redis.call('HDEL', errors, unpack(ids))
redis.call('HDEL', attempts, unpack(ids))
redis.call('HINCRBY', meta, 'purged', #ids)
return with_mark(ids)
