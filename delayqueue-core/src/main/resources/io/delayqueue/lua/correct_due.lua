-- PURPOSE  Gives scheduled messages other due times, unless they were changed since a survey read theirs. Another store knows that they
--          were rescheduled; Redis does not, since it came back without its last writes.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; then id, generation, µs since epoch at which it is due now and is to be due,
--          …; distinct ids (1..512)
-- RETURNS  number of messages that are due then
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; 3 commands for each, up to 12 if bodies don't tell their priorities, and up to 25
--          for any n
-- CALLER   OutboxOperations.correctDue
--@include keys
--@include places
--@include scheduling
local assumed_partitions = ARGV[1]
--@include partition_check

local moved, count = {}, 0
for i = 2, #ARGV, 4 do
  local id = ARGV[i]
  local envelope = redis.call('HGET', messages, id)
  if envelope and generation_of(envelope) == ARGV[i + 1] then
    local priority, due = scheduled_place(id, envelope)
    if priority and tonumber(due) == tonumber(ARGV[i + 2]) then
      moved[priority] = moved[priority] or {}
      table.insert(moved[priority], id)
      schedule_later(priority, ARGV[i + 3], id)
      count = count + 1
    end
  end
end

-- Removed first although ZADD alone would do: a full Redis refuses a script that begins by adding.
for priority, members in pairs(moved) do
  redis.call('ZREM', scheduled(priority), unpack(members))
end
if count > 0 then
  write_scheduled()
end
return count
