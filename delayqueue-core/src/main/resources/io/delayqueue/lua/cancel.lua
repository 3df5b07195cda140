-- PURPOSE  Cancels messages that are not in flight. Reads no bodies, which may be large.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; then ids, distinct
-- RETURNS  {a letter for each message: C cancelled, I in flight and not cancelled, N not found}; if an outbox has sent to the
--          partition, then also: epoch, changes sent so far, messages ended so far
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; 8 commands for any n scheduled at default priority; if there are others, 1
--          for each of them that is not dead, and up to 27 for any n
-- CALLER   RedisMessageStore.cancel
--@include keys
local assumed_partitions = ARGV[1]
--@include partition_check
local ids = { unpack(ARGV, 2) }
--@include cancel_batch
--@include with_mark
return with_mark(cancel_batch())
