-- PURPOSE  Deletes dead letters.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors
-- ARGV     1 partition count that the caller assumes; 2 most to purge (1..512); 3 µs: those dead-lettered longer ago;
--          or an empty 3, then ids, distinct
-- RETURNS  number of dead letters purged
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log d) for n of d dead
-- CALLER   RedisMessageStore.purge
--@include keys
--@include numbers
local limit, age = tonumber(ARGV[2]), ARGV[3]

local assumed_partitions = ARGV[1]
--@include partition_check

local ids = {}
if age == '' then
  for i = 4, #ARGV do
    if redis.call('ZSCORE', dead, ARGV[i]) then
      ids[#ids + 1] = ARGV[i]
    end
  end
else
  --@include now
  ids = redis.call('ZRANGEBYSCORE', dead, '-inf', '(' .. digits(now - tonumber(age)), 'LIMIT', 0, limit)
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
