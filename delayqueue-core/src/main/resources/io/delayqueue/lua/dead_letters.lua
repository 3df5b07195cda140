-- PURPOSE  Lists dead letters, latest first.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors
-- ARGV     1 partitions believed in; 2 how many to pass over; 3 most to list (1..512); 4 most bytes to return
-- RETURNS  {id, time of death µs, attempts, error, envelope or an empty string if it is gone, …}
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(log d + n) for n listed of d dead
-- CALLER   RedisMessageStore.deadLetters
local meta, messages, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[4], KEYS[5], KEYS[6]
local offset, limit, most_bytes = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local partitions = redis.call('HGET', meta, 'partitions') or '1'
if partitions ~= ARGV[1] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

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
  answer[#answer + 1] = string.sub(redis.call('HGET', errors, id) or '4', 2)
  answer[#answer + 1] = envelope
end
return answer
