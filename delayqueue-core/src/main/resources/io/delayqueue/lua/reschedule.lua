-- PURPOSE  Gives messages that nobody is handling a new due time; a dead one comes back to life.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 command and channel for wake-ups, or empty; 2 partitions believed in;
--          3 due (µs since epoch, or -1 - µs from now); then ids, distinct
-- RETURNS  {a letter for each message: R rescheduled, I in flight and left alone, N not found;
--          µs until they are due}
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(n log m) for n messages, m pending; and PUBLISH if the head is earlier
-- CALLER   RedisMessageStore.reschedule
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local publish, channel = string.match(ARGV[1], '^(%u+) (.*)$')

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
if partitions ~= ARGV[2] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local due = tonumber(ARGV[3])
if due < 0 then
  due = now - 1 - due
end

local outcomes, additions, revived, moved = {}, {}, {}, {}
local levels = redis.call('HGET', meta, 'levels') or ''
local levels_before = levels
for i = 4, #ARGV do
  local id = ARGV[i]
  local outcome = 'N'
  if redis.call('ZSCORE', leased, id) then
    outcome = 'I'
  else
    local envelope = redis.call('HGET', messages, id)
    local died = envelope and redis.call('ZSCORE', dead, id)
    local level = died and (tonumber(string.sub(envelope, 3, 3)) or 4) or envelope and level_of(id, envelope)
    if level then
      outcome = 'R'
      if died then
        revived[#revived + 1] = id
      else
        moved[level] = moved[level] or {}
        table.insert(moved[level], id)
      end
      local adding = additions[level] or {}
      additions[level] = adding
      adding[#adding + 1] = string.format('%.0f', due)
      adding[#adding + 1] = id
      if level ~= 4 and not string.find(levels, level, 1, true) then
        levels = levels .. level
      end
    end
  end
  outcomes[i - 3] = outcome
end

local earlier = false
for level in pairs(additions) do
  local head = redis.call('ZRANGE', scheduled(level), 0, 0, 'WITHSCORES')[2]
  earlier = earlier or not head or due < tonumber(head)
end

-- Removed first although ZADD alone would do: a full Redis refuses a script that begins by adding.
for level, members in pairs(moved) do
  redis.call('ZREM', scheduled(level), unpack(members))
end
if #revived > 0 then
  redis.call('ZREM', dead, unpack(revived))
  redis.call('HDEL', errors, unpack(revived))
  redis.call('HDEL', attempts, unpack(revived))
  redis.call('HINCRBY', meta, 'redriven', #revived)
end
if levels ~= levels_before then
  redis.call('HSET', meta, 'levels', levels)
end
local wait = math.max(0, due - now)
for level, adding in pairs(additions) do
  redis.call('ZADD', scheduled(level), unpack(adding))
end
if publish and earlier then
  redis.pcall(publish, channel, string.format('%.0f', wait))
end
return { table.concat(outcomes), wait }
