-- PURPOSE  Lists the ids of a partition's messages, step by step: the caller looks for those that only a former partition count
--          puts there.
-- KEYS     1 meta, 2 messages
-- ARGV     1 partition count that the caller assumes; 2 cursor that the last step returned, 0 for the first; 3 about how many ids
-- RETURNS  {cursor of the next step, 0 after the last; bytes of the bodies that the step read; run id of the server: a cursor makes
--          sense to the server that returned it only; id, …}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n) for n ids; 3 commands, which read the bodies too
-- CALLER   TopicOperations.listIds
--@include keys
local assumed_partitions = ARGV[1]
--@include partition_check

local page = redis.call('HSCAN', messages, ARGV[2], 'COUNT', ARGV[3])
local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local answer, bytes = { page[1], 0, run_id }, 0
for i = 1, #page[2], 2 do
  answer[#answer + 1] = page[2][i]
  bytes = bytes + #page[2][i + 1]
end
answer[2] = bytes
return answer
