-- PURPOSE  Revokes messages that nobody is handling.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 partitions believed in; then ids, distinct
-- RETURNS  a letter for each message: C cancelled, I in flight and left alone, N not found
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(n log m) for n messages, m pending; 7 commands for any n waiting at default priority, 3 more for each other
-- CALLER   RedisMessageStore.cancel
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]

local function scheduled(level)
  return KEYS[7 + level]
end

-- Where an id is scheduled. A body that makes no sense does not tell: then all priorities are searched.
local function level_of(id, envelope)
  local said = tonumber(string.sub(envelope, 3, 3))
  for level = said or 0, said or 9 do
    if redis.call('ZSCORE', scheduled(level), id) then
      return level
    end
  end
end

local partitions = redis.call('HGET', meta, 'partitions') or '1'
if partitions ~= ARGV[1] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

local ids = { unpack(ARGV, 2) }
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local dues = redis.call('ZMSCORE', scheduled(4), unpack(ids))
local outcomes, gone, places, orphans = {}, {}, {}, {}
for i, id in ipairs(ids) do
  local place = dues[i] and scheduled(4)
  if not deadlines[i] and not place then
    local envelope = redis.call('HGET', messages, id)
    local level = envelope and level_of(id, envelope)
    if level then
      place = scheduled(level)
    elseif redis.call('ZSCORE', dead, id) then
      place = dead
    elseif envelope then
      orphans[#orphans + 1] = id
    end
  end
  if deadlines[i] then
    outcomes[i] = 'I'
  elseif place then
    outcomes[i] = 'C'
    gone[#gone + 1] = id
    places[place] = places[place] or {}
    table.insert(places[place], id)
  else
    outcomes[i] = 'N'
  end
end

for place, members in pairs(places) do
  redis.call('ZREM', place, unpack(members))
  if place == dead then
    redis.call('HDEL', errors, unpack(members))
  end
end
if #gone > 0 then
  redis.call('HDEL', messages, unpack(gone))
  redis.call('HDEL', attempts, unpack(gone))
  redis.call('HINCRBY', meta, 'cancelled', #gone)
end
if #orphans > 0 then
  redis.call('HDEL', messages, unpack(orphans))
  redis.call('HDEL', attempts, unpack(orphans))
  redis.call('HINCRBY', meta, 'orphaned', #orphans)
  redis.call('HINCRBY', meta, 'purged', #orphans)
end
return table.concat(outcomes)
