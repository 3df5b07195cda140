-- PURPOSE  Lists dead letters, latest first: a page of one partition, those of some ids, or ids and times only, from which a page
--          of several partitions is put together.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors
-- ARGV     1 partition count that the caller assumes; 2 number of dead letters to skip; 3 most to list (1..512);
--          4 most bytes to return, 0 for ids and times only; then, if 2 is empty, ids, distinct
-- RETURNS  {1 if all are listed, 0 if those left out would have exceeded the most bytes; then id, µs at which it was dead-lettered,
--          attempts, error, envelope or an empty string if that was deleted, …}; or {id, µs, …}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(log d + n) for n listed of d dead; 2 commands for ids and times, 3 more for each dead letter with its body
-- CALLER   DeadLetterOperations.list, DeadLetterOperations.keys
--@include keys
--@include dead_error
--@include attempts
local offset, limit, most_bytes = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local assumed_partitions = ARGV[1]
--@include partition_check

-- Those asked for by their ids: {id, µs, …}, without ids that are no longer dead.
local function members_of_ids()
  local ids, found = { unpack(ARGV, 5) }, {}
  for i, since in ipairs(redis.call('ZMSCORE', dead, unpack(ids))) do
    if since then
      found[#found + 1] = ids[i]
      found[#found + 1] = since
    end
  end
  return found
end

local members = offset and redis.call('ZREVRANGE', dead, offset, offset + limit - 1, 'WITHSCORES') or members_of_ids()
local answer, bytes = {}, 0
if most_bytes == 0 then
  for i = 1, #members, 2 do
    answer[i] = members[i]
    answer[i + 1] = tonumber(members[i + 1])
  end
  return answer
end
answer[1] = 1
for i = 1, #members, 2 do
  local id = members[i]
  local envelope = redis.call('HGET', messages, id) or ''
  bytes = bytes + #envelope
  if bytes > most_bytes and i > 1 then
    answer[1] = 0
    break
  end
  answer[#answer + 1] = id
  answer[#answer + 1] = tonumber(members[i + 1])
  answer[#answer + 1] = (read_attempts(redis.call('HGET', attempts, id)))
  answer[#answer + 1] = error_text(redis.call('HGET', errors, id))
  answer[#answer + 1] = envelope
end
return answer
