-- PURPOSE  Revokes messages that are not in flight.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; then ids, distinct
-- RETURNS  a letter for each message: C cancelled, I in flight and not cancelled, N not found
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; 7 commands for any n scheduled at default priority, up to 14 more for each other
-- CALLER   RedisMessageStore.cancel
--@include keys
--@include places
--@include orphans
local assumed_partitions = ARGV[1]
--@include partition_check

local ids = { unpack(ARGV, 2) }
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local dues = redis.call('ZMSCORE', scheduled(DEFAULT_PRIORITY), unpack(ids))
local outcomes, cancelled, cancelled_by_key, orphans = {}, {}, {}, {}

-- The sorted set that a message is in; most are scheduled at default priority, which is known by now.
local function key_of(i, id)
  if dues[i] then
    return scheduled(DEFAULT_PRIORITY)
  end
  local envelope = redis.call('HGET', messages, id)
  local priority = envelope and scheduled_place(id, envelope)
  if priority then
    return scheduled(priority)
  elseif redis.call('ZSCORE', dead, id) then
    return dead
  elseif envelope then
    orphans[#orphans + 1] = id
  end
end

for i, id in ipairs(ids) do
  local key = not deadlines[i] and key_of(i, id)
  if deadlines[i] then
    outcomes[i] = 'I'
  elseif key then
    outcomes[i] = 'C'
    cancelled[#cancelled + 1] = id
    cancelled_by_key[key] = cancelled_by_key[key] or {}
    table.insert(cancelled_by_key[key], id)
  else
    outcomes[i] = 'N'
  end
end

for key, members in pairs(cancelled_by_key) do
  redis.call('ZREM', key, unpack(members))
  if key == dead then
    redis.call('HDEL', errors, unpack(members))
  end
end
if #cancelled > 0 then
  redis.call('HDEL', messages, unpack(cancelled))
  redis.call('HDEL', attempts, unpack(cancelled))
  redis.call('HINCRBY', meta, 'cancelled', #cancelled)
end
if #orphans > 0 then
  redis.call('HDEL', messages, unpack(orphans))
  redis.call('HDEL', attempts, unpack(orphans))
  count_orphans(#orphans)
end
return table.concat(outcomes)
