-- PURPOSE  Lists dead letters, latest first.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors
-- ARGV     1 partition count that the caller assumes; 2 number of dead letters to skip; 3 most to list (1..512);
--          4 most bytes to return
-- RETURNS  {id, µs at which it was dead-lettered, attempts, error, envelope or an empty string if that was deleted, …}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(log d + n) for n listed of d dead
-- CALLER   RedisMessageStore.deadLetters
--@include keys
--@include dead_error
local offset, limit, most_bytes = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local assumed_partitions = ARGV[1]
--@include partition_check

local answer, bytes = {}, 0
local members = redis.call('ZREVRANGE', dead, offset, offset + limit - 1, 'WITHSCORES')
for i = 1, #members, 2 do
  local id = members[i]
  local envelope = redis.call('HGET', messages, id) or ''
  bytes = bytes + #envelope
  if bytes > most_bytes and i > 1 then
    break
  end
  answer[#answer + 1] = id
  answer[#answer + 1] = tonumber(members[i + 1])
  answer[#answer + 1] = tonumber(redis.call('HGET', attempts, id) or 0)
  answer[#answer + 1] = error_text(redis.call('HGET', errors, id))
  answer[#answer + 1] = envelope
end
return answer
