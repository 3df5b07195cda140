-- PURPOSE  Returns generation, state and due time of messages, to be compared with another store.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; 2 most bytes of bodies to read, exceeded by one body at most; then ids,
--          distinct (1..512)
-- RETURNS  {now µs; number of ids looked at, the first ones; for each found: id, generation, place: S scheduled or ready, I in
--          flight, D dead, or an empty string if keys of it were deleted or evicted, µs at which it is due, its lease expires or it
--          was dead-lettered, failed attempts, …}; without a body an empty generation, and a place only while a handler has it
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; up to 15 commands for any n, and 2 for each message that is found
-- CALLER   OutboxOperations.survey
--@include in_use
--@include envelope
--@include attempts
local most_bytes, ids = tonumber(ARGV[2]), { unpack(ARGV, 3) }

local assumed_partitions = ARGV[1]
--@include partition_check
--@include now

local places, times = {}, {}
local function look(key, letter)
  for i, score in ipairs(redis.call('ZMSCORE', key, unpack(ids))) do
    if score and not places[i] then
      places[i], times[i] = letter, tonumber(score)
    end
  end
end
look(leased, 'I')
look(dead, 'D')
for _, priority in ipairs(priorities_in_use()) do
  look(scheduled(priority), 'S')
end

local answer, bytes, looked = { now, 0 }, 0, 0
for i, id in ipairs(ids) do
  if bytes >= most_bytes then
    break
  end
  looked = i
  local envelope = redis.call('HGET', messages, id)
  if envelope then
    bytes = bytes + #envelope
    local n = #answer
    answer[n + 1], answer[n + 2] = id, generation_of(envelope)
    answer[n + 3], answer[n + 4] = places[i] or '', times[i] or 0
    answer[n + 5] = (read_attempts(redis.call('HGET', attempts, id)))
  elseif places[i] then
    local n = #answer
    answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4], answer[n + 5] = id, '', places[i] == 'I' and 'I' or '', 0, 0
  end
end
answer[2] = looked
return answer
