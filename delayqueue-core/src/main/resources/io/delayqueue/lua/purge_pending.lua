-- PURPOSE  Deletes pending messages; those in flight and dead letters stay.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; 2 most to purge (1..512); 3 µs: those due until then, the earliest of each
--          priority first, or empty for all of 5; 4 most bytes of bodies to read, exceeded by one body at most, 0 if no generations
--          follow; 5 and more: only these ids, distinct, each with its generation if 4 is not 0: those of another one stay
-- RETURNS  {{ids looked at, the first ones; id of each message purged, …}}; if an outbox has sent to the partition,
--          then also: epoch, changes sent so far, messages ended so far
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n of m pending; 2 commands for each priority in use, and up to 6; 1 for each id with a generation
-- CALLER   PendingMessageOperations.purge
--@include in_use
--@include envelope
--@include with_mark
local limit, until_us, most_bytes = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

local assumed_partitions = ARGV[1]
--@include partition_check

local names_ids = #ARGV > 4
local ids, looked, bytes = {}, 0, 0
for i = 5, #ARGV, most_bytes > 0 and 2 or 1 do
  if most_bytes > 0 and bytes >= most_bytes then
    break
  end
  looked = looked + 1
  local envelope = most_bytes > 0 and redis.call('HGET', messages, ARGV[i])
  if most_bytes == 0 or envelope and generation_of(envelope) == ARGV[i + 1] then
    ids[#ids + 1] = ARGV[i]
  end
  bytes = bytes + (envelope and #envelope or 0)
end

-- Those of the ids that are scheduled with a priority.
local function members_of_ids(key)
  local found = {}
  for i, due in ipairs(redis.call('ZMSCORE', key, unpack(ids))) do
    if due and (until_us == '' or tonumber(due) <= tonumber(until_us)) then
      found[#found + 1] = ids[i]
    end
  end
  return found
end

local function members(key, most)
  if names_ids then
    return #ids > 0 and members_of_ids(key) or {}
  end
  return redis.call('ZRANGEBYSCORE', key, '-inf', until_us, 'LIMIT', 0, most)
end

local selected, purged = {}, {}
for _, priority in ipairs(priorities_in_use()) do
  local found = limit > #purged and members(scheduled(priority), limit - #purged) or {}
  if #found > 0 then
    selected[priority] = found
    for _, id in ipairs(found) do
      purged[#purged + 1] = id
    end
  end
end
if #purged == 0 then
  return { { looked } }
end

for priority, found in pairs(selected) do
  redis.call('ZREM', scheduled(priority), unpack(found))
end
redis.call('HDEL', messages, unpack(purged))
redis.call('HDEL', attempts, unpack(purged))
redis.call('HINCRBY', meta, 'purged', #purged)
table.insert(purged, 1, looked)
return with_mark(purged)
