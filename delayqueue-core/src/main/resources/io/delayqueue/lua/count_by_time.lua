-- PURPOSE  Counts pending messages by their due times, or dead letters by the times at which they were dead-lettered, all in one
--          instant.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; 2 1 for dead letters, 0 for pending messages; 3 and more bounds: µs,
--          ascending (1..99)
-- RETURNS  {number before the first bound; number from each bound to the next; number at the last bound or later}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(b log m) for b bounds, m pending or dead; 2 commands, and b + 1 more for each priority in use, or for dead letters
-- CALLER   DeadLetterOperations.count, PendingMessageOperations.count
--@include in_use
local of_dead_letters = ARGV[2] == '1'

local assumed_partitions = ARGV[1]
--@include partition_check

local counts = {}
for i = 1, #ARGV - 1 do
  counts[i] = 0
end

local function add(key)
  local before = 0
  for i = 3, #ARGV do
    local earlier = redis.call('ZCOUNT', key, '-inf', '(' .. ARGV[i])
    counts[i - 2] = counts[i - 2] + earlier - before
    before = earlier
  end
  counts[#counts] = counts[#counts] + redis.call('ZCARD', key) - before
end

if of_dead_letters then
  add(dead)
else
  for _, priority in ipairs(priorities_in_use()) do
    add(scheduled(priority))
  end
end
return counts
