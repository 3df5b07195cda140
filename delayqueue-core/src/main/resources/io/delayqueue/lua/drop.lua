-- PURPOSE  Deletes messages of given generations, whatever their state: another store knows that they ended, and Redis does not,
--          since it came back without its last writes.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; then id, generation, …; distinct ids (1..512)
-- RETURNS  number of messages deleted; those of another generation stay
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; 1 command for each, and up to 20 for any n
-- CALLER   OutboxOperations.drop
--@include in_use
--@include envelope
--@include orphans
local assumed_partitions = ARGV[1]
--@include partition_check

local dropped = {}
for i = 2, #ARGV, 2 do
  local envelope = redis.call('HGET', messages, ARGV[i])
  if envelope and generation_of(envelope) == ARGV[i + 1] then
    dropped[#dropped + 1] = ARGV[i]
  end
end
if #dropped == 0 then
  return 0
end

local in_use = priorities_in_use()
local placed = redis.call('ZREM', leased, unpack(dropped)) + redis.call('ZREM', dead, unpack(dropped))
for _, priority in ipairs(in_use) do
  placed = placed + redis.call('ZREM', scheduled(priority), unpack(dropped))
end
redis.call('HDEL', messages, unpack(dropped))
redis.call('HDEL', attempts, unpack(dropped))
redis.call('HDEL', errors, unpack(dropped))
redis.call('HINCRBY', meta, 'purged', placed)
count_orphans(#dropped - placed)
return #dropped
