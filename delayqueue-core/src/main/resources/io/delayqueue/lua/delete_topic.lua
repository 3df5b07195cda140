-- PURPOSE  Deletes a partition of a topic: its meta hash, which is all that is left without messages. If told so, it deletes some
--          of the messages first, and counts them as purged: the counters go last, and must be right if the deletion is not finished.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects, 18 applied
-- ARGV     1 partition count that the caller assumes; 2 most messages to delete (0..512)
-- RETURNS  D deleted; N there was nothing; A some was deleted, call again; M there are messages, nothing was deleted
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n deleted of m messages; up to 24 commands
-- CALLER   TopicOperations.delete
--@include keys
--@include priority_keys
local applied, limit = KEYS[18], tonumber(ARGV[2])
-- Bodies that are neither scheduled, leased nor dead are found by reading them: few at once, as they may be large.
local MOST_BODIES = 32
-- Arguments that unpack passes at once.
local MOST_FIELDS = 1000

local assumed_partitions = ARGV[1]
--@include partition_check

local function delete_fields(ids)
  redis.call('HDEL', messages, unpack(ids))
  redis.call('HDEL', attempts, unpack(ids))
  redis.call('HDEL', errors, unpack(ids))
end

local function count_purged(ids)
  redis.call('HINCRBY', meta, 'purged', #ids)
end

-- Whether the sorted set had members.
local function empty_set(key)
  local ids = redis.call('ZRANGE', key, 0, limit - 1)
  if #ids > 0 then
    redis.call('ZREM', key, unpack(ids))
    delete_fields(ids)
    count_purged(ids)
  end
  return #ids > 0
end

-- Returns what it deleted of the hash.
local function empty_hash(key, most)
  local page, ids = { '0' }, {}
  -- a step may find nothing in a hash that was larger
  repeat
    page = redis.call('HSCAN', key, page[1], 'COUNT', most)
  until #page[2] > 0 or page[1] == '0'
  for i = 1, math.min(#page[2], 2 * MOST_FIELDS), 2 do
    ids[#ids + 1] = page[2][i]
  end
  if #ids > 0 then
    delete_fields(ids)
  end
  return ids
end

local function empty_bodies()
  local ids = empty_hash(messages, MOST_BODIES)
  if #ids > 0 then
    count_purged(ids)
  end
  return #ids > 0
end

local function has_messages()
  local left = redis.call('ZCARD', leased) + redis.call('ZCARD', dead) + redis.call('HLEN', messages)
  for priority = 0, SUSPECT_PRIORITY do
    left = left + redis.call('ZCARD', scheduled(priority))
  end
  return left > 0
end

local function delete_some()
  for priority = 0, SUSPECT_PRIORITY do
    if empty_set(scheduled(priority)) then
      return true
    end
  end
  return empty_set(leased) or empty_set(dead) or empty_bodies()
end

if has_messages() then
  return limit > 0 and delete_some() and 'A' or 'M'
elseif #empty_hash(attempts, MOST_FIELDS) > 0 or #empty_hash(errors, MOST_FIELDS) > 0
  or redis.call('ZREMRANGEBYRANK', applied, 0, MOST_FIELDS - 1) > 0 then
  return 'A'
end

local fields, names = redis.call('HGETALL', meta), {}
for i = 1, #fields, 2 do
  names[#names + 1] = fields[i]
end
for first = 1, #names, MOST_FIELDS do
  redis.call('HDEL', meta, unpack(names, first, math.min(first + MOST_FIELDS - 1, #names)))
end
return #names > 0 and 'D' or 'N'
