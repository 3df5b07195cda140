-- PURPOSE  Dead-letters messages that are neither scheduled, leased nor dead, step by step: somebody deleted or evicted
--          keys, and nobody knows any more when they are due.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 where the last step ended, 0 for the first; 2 about how many messages to look at
-- RETURNS  {where this step ended, 0 after the last; {id, failed attempts, …} of those found}
-- COST     O(log m) for each of those looked at, m pending; 13 commands, and up to 7 if any are found
-- CALLER   RedisMessageStore.recover
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local REASON = 'its due time or its lease is gone: somebody deleted or evicted keys'

local function scheduled(level)
  return KEYS[7 + level]
end

local page = redis.call('HSCAN', messages, ARGV[1], 'COUNT', ARGV[2])
local ids, bodies, known = {}, {}, {}
for i = 1, #page[2], 2 do
  local id = page[2][i]
  -- a page may have an id twice
  if not bodies[id] then
    ids[#ids + 1] = id
    bodies[id] = page[2][i + 1]
  end
end
if #ids == 0 then
  return { page[1], {} }
end
for number = 3, 16 do
  if number ~= 4 and number ~= 6 then
    local key = KEYS[number]
    for i, score in ipairs(redis.call('ZMSCORE', key, unpack(ids))) do
      known[i] = known[i] or score
    end
  end
end
local found = {}
for i, id in ipairs(ids) do
  if not known[i] then
    found[#found + 1] = id
  end
end
if #found == 0 then
  return { page[1], {} }
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local counts = redis.call('HMGET', attempts, unpack(found))
local answer, deaths, reasons = {}, {}, {}
for i, id in ipairs(found) do
  answer[2 * i - 1] = id
  answer[2 * i] = tonumber(counts[i] or 0)
  deaths[2 * i - 1] = now
  deaths[2 * i] = id
  reasons[2 * i - 1] = id
  reasons[2 * i] = (tonumber(string.sub(bodies[id], 3, 3)) or 4) .. REASON
end

-- Writes. The first one deletes, so that a full Redis lets it pass.
redis.call('ZREM', leased, unpack(found))
redis.call('ZADD', dead, unpack(deaths))
redis.call('HSET', errors, unpack(reasons))
redis.call('HINCRBY', meta, 'died', #found)
redis.call('HINCRBY', meta, 'orphaned', #found)
return { page[1], answer }
