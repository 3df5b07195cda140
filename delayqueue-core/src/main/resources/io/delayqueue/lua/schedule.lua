-- PURPOSE  Schedules new messages of a topic, telling repeated calls and duplicates apart.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 command and channel for wake-ups, or empty; 2 most pending messages, 0 for no limit;
--          3 partition count that the caller assumes; 4 policies, a letter for each message: J reject, K keep, P replace; in lower
--          case if only a former partition count puts it here;
--          5 their priority, or empty if it differs; 6 MessagePack array: id, envelope, …, ids distinct;
--          7 MessagePack array of when each is due: µs since epoch, or -1 - µs from now
-- RETURNS  {a letter for each message: S scheduled, R replaced, K kept, D duplicate refused, F topic full;
--          µs until the new head is due, or -1 if the head did not change;
--          if there are K or D: the state of the message that has the id, a letter for each of them: S scheduled, R ready,
--          I in flight, D dead}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes, or a message in lower case is no
--          longer here
-- COST     O(n log m) for n messages, m pending; 7 commands for any n, 11 more with a limit, 3 for each
--          duplicate; and PUBLISH if the head is earlier
-- CALLER   RedisMessageStore.schedule
--@include keys
--@include priority_keys
--@include scheduling
--@include written_priority
--@include orphans
--@include wake_up
local channel, max_pending, policies, common_priority = ARGV[1], tonumber(ARGV[2]), ARGV[4], tonumber(ARGV[5])
-- Packed, as arguments of their own would cost half as much again.
local bodies, dues = cmsgpack.unpack(ARGV[6]), cmsgpack.unpack(ARGV[7])

local assumed_partitions = ARGV[3]
--@include partition_check
--@include now
--@include schedule_batch
