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
--@include server_time
--@include partition_count
local limit, age = tonumber(ARGV[2]), ARGV[3]

local refusal = partitions_changed(ARGV[1])
if refusal then
  return refusal
end

local ids = {}
if age == '' then
  for i = 4, #ARGV do
    if redis.call('ZSCORE', dead, ARGV[i]) then
      ids[#ids + 1] = ARGV[i]
    end
  end
else
  ids = redis.call('ZRANGEBYSCORE', dead, '-inf', '(' .. digits(server_time() - tonumber(age)), 'LIMIT', 0, limit)
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
