-- PURPOSE  Gives messages that are not in flight a new due time; a dead letter is scheduled again.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 command and channel for wake-ups, or empty; 2 partition count that the caller assumes;
--          3 due (µs since epoch, or -1 - µs from now); then ids, distinct
-- RETURNS  {a letter for each message: R rescheduled, I in flight and not rescheduled, N not found;
--          µs until they are due}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; and PUBLISH if the head is earlier
-- CALLER   RedisMessageStore.reschedule
--@include keys
--@include numbers
--@include places
--@include scheduling
--@include new_head
--@include wake_up
local channel, assumed_partitions, due = ARGV[1], ARGV[2], tonumber(ARGV[3])
--@include partition_check

--@include now
if due < 0 then
  due = now - 1 - due
end
local ids, dues = { unpack(ARGV, 4) }, {}
for i = 1, #ids do
  dues[i] = due
end
--@include reschedule_batch
local outcomes = reschedule_batch()
return { outcomes, math.max(0, due - now) }
