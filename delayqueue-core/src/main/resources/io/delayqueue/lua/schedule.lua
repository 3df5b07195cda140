-- PURPOSE  Puts new messages into their topic, telling repeated calls and duplicates apart.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 command and channel for wake-ups, or empty; 2 most pending messages, 0 for no limit; 3 partitions believed in;
--          4 policies, a letter for each message: J reject, K keep, P replace; 5 their priority, or empty if it differs;
--          6 MessagePack array: id, envelope, …, ids distinct; 7 MessagePack array of when each is due: µs since epoch,
--          or -1 - µs from now
-- RETURNS  {a letter for each message: S scheduled, R replaced, K kept, D duplicate refused, F topic full;
--          µs until the new head is due, or -1 if the head did not change}
--          error LAYOUT and the number of partitions that there are: not those that the caller believes in
-- COST     O(n log m) for n messages, m pending; 7 commands for any n, 6 for many on Redis 8, 10 more with a limit, 3 for each
--          duplicate; and PUBLISH if the head is earlier
-- CALLER   RedisMessageStore.schedule
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local most = tonumber(ARGV[2])
local policies, common_level = ARGV[4], tonumber(ARGV[5])
-- packed, as arguments of their own would cost half as much again
local bodies, dues = cmsgpack.unpack(ARGV[6]), cmsgpack.unpack(ARGV[7])
local count = #dues
local DEFAULT_LEVEL = 4
local MANY = 8
local REDIS_8 = 524288

local function scheduled(level)
  return KEYS[7 + level]
end

local partitions = redis.call('HGET', meta, 'partitions') or '1'
if partitions ~= ARGV[3] then
  return redis.error_reply('LAYOUT ' .. partitions)
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- 1. What becomes of each. Nearly always all are new, and nothing has to be sorted out.
local answer, fresh, orphans, revived, moved = nil, count, 0, {}, {}

local room = math.huge
if most > 0 then
  room = most
  for level = 0, 9 do
    room = room - redis.call('ZCARD', scheduled(level))
  end
end

-- Redis 8 can write the bodies only if no id is taken: for many that costs less than to look first.
local function write_if_all_are_new()
  if count < MANY or room < count or (redis.REDIS_VERSION_NUM or 0) < REDIS_8 then
    return false
  end
  local known, allowed = pcall(redis.acl_check_cmd, 'HSETEX', messages, 'FNX', 'FIELDS', 1, '', '')
  return known and allowed and redis.call('HSETEX', messages, 'FNX', 'FIELDS', count, unpack(bodies)) == 1
end

-- Read before all writes: it fails if somebody else uses the key.
local head_before = common_level and redis.call('ZRANGE', scheduled(common_level), 0, 0, 'WITHSCORES')
local written = write_if_all_are_new()
local present, taken, gained = nil, false, count
if not written then
  local ids = {}
  for i = 1, count do
    ids[i] = bodies[2 * i - 1]
  end
  present, taken = redis.call('HMGET', messages, unpack(ids)), room < count
  for i = 1, count do
    taken = taken or present[i]
  end
end
if taken then
  -- Where an id is scheduled. A body that makes no sense does not tell: then all priorities are searched.
  local function level_of(id, envelope)
    local said = tonumber(string.sub(envelope, 3, 3))
    for level = said or 0, said or 9 do
      if redis.call('ZSCORE', scheduled(level), id) then
        return level
      end
    end
  end

  -- Where a message that has a body stands: its level if it is scheduled; nothing if somebody deleted the keys around it.
  local function place(id, envelope)
    return redis.call('ZSCORE', leased, id) and 'leased' or redis.call('ZSCORE', dead, id) and 'dead'
      or level_of(id, envelope)
  end

  local function outcome_of(id, policy, old, envelope)
    if not old then
      return 'S'
    elseif string.sub(old, 5, 12) == string.sub(envelope, 5, 12) then
      -- the same call once more: its reply was lost
      return string.sub(old, 2, 2), 'there'
    end
    local at = place(id, old)
    if not at then
      return 'S'
    elseif policy == 'K' then
      return 'K'
    elseif policy == 'J' or at == 'leased' then
      return 'D'
    end
    return 'R', at
  end

  -- Those that change nothing are left out. How many the sorted sets are expected to gain.
  local function sort_out(room)
    local outcomes, kept_bodies, kept_dues, gained = {}, {}, {}, 0
    fresh = 0
    for i = 1, count do
      local id, envelope, old = bodies[2 * i - 1], bodies[2 * i], present[i]
      local outcome, at = outcome_of(id, string.sub(policies, i, i), old, envelope)
      if outcome == 'S' and at ~= 'there' then
        if room < 1 then
          outcome = 'F'
        else
          room, fresh = room - 1, fresh + 1
        end
      end
      outcomes[i] = outcome
      if at ~= 'there' and (outcome == 'S' or outcome == 'R') then
        if old then
          revived[#revived + 1] = id
          orphans = orphans + (outcome == 'S' and 1 or 0)
        end
        gained = gained + 1
        if outcome == 'R' then
          if at == tonumber(string.sub(envelope, 3, 3)) then
            gained = gained - 1
          elseif at ~= 'dead' then
            moved[#moved + 1] = { at, id }
          end
          envelope = string.sub(envelope, 1, 1) .. 'R' .. string.sub(envelope, 3)
        end
        local n = #kept_dues + 1
        kept_dues[n], kept_bodies[2 * n - 1], kept_bodies[2 * n] = dues[i], id, envelope
      end
    end
    answer, bodies, dues = table.concat(outcomes), kept_bodies, kept_dues
    return gained
  end

  gained = sort_out(room)
end
answer = answer or string.rep('S', count)
if #dues == 0 then
  -- Written all the same, deletion first: WAIT covers what its connection wrote, and a replica must refuse the call.
  redis.call('HDEL', meta, 'format')
  redis.call('HSET', meta, 'format', 1)
  return { answer, -1 }
end

-- 2. When each is due, and whether one is before all that were there.
local additions, heads = {}, {}
if common_level then
  local head = math.huge
  for i = 1, #dues do
    local due = dues[i]
    if due < 0 then
      due = now - 1 - due
    end
    if due < head then
      head = due
    end
    dues[i] = due
  end
  heads[common_level] = head
else
  for i = 1, #dues do
    local level, due = string.byte(bodies[2 * i], 3) - 48, dues[i]
    local adding = additions[level]
    if not adding then
      adding = {}
      additions[level] = adding
    end
    if due < 0 then
      due = now - 1 - due
    end
    if not heads[level] or due < heads[level] then
      heads[level] = due
    end
    local n = #adding
    adding[n + 1] = due
    adding[n + 2] = bodies[2 * i - 1]
  end
end

local earliest, levels, levels_before
for level, head in pairs(heads) do
  local first = head_before or redis.call('ZRANGE', scheduled(level), 0, 0, 'WITHSCORES')
  if (not first[1] or head < tonumber(first[2])) and (not earliest or head < earliest) then
    earliest = head
  end
  if level ~= DEFAULT_LEVEL then
    levels = levels or redis.call('HGET', meta, 'levels') or ''
    levels_before = levels_before or levels
    if not string.find(levels, level, 1, true) then
      levels = levels .. level
    end
  end
end

-- 3. Writes. The first one adds: a full Redis refuses the call there, before anything has changed.
if not written then
  redis.call('HSET', messages, unpack(bodies))
end
if common_level then
  -- in the table of the bodies, which nobody needs any more: a new one would have to grow
  for i = 1, #dues do
    bodies[2 * i], bodies[2 * i - 1] = bodies[2 * i - 1], dues[i]
  end
  additions[common_level] = bodies
end
for _, move in ipairs(moved) do
  redis.call('ZREM', scheduled(move[1]), move[2])
end
if #revived > 0 then
  redis.call('ZREM', dead, unpack(revived))
  redis.call('HDEL', errors, unpack(revived))
  redis.call('HDEL', attempts, unpack(revived))
end
for level, adding in pairs(additions) do
  gained = gained - redis.call('ZADD', scheduled(level), unpack(adding))
end
-- those that had a due time already, but no body any more
orphans = orphans + gained
if levels ~= levels_before then
  redis.call('HSET', meta, 'levels', levels)
end
if orphans > 0 then
  redis.call('HINCRBY', meta, 'orphaned', orphans)
  redis.call('HINCRBY', meta, 'purged', orphans)
end
if fresh > 0 and redis.call('HINCRBY', meta, 'scheduled', fresh) == fresh then
  redis.call('HSET', meta, 'format', 1)
end
if not earliest then
  return { answer, -1 }
end
local wait = math.max(0, earliest - now)
local publish, channel = string.match(ARGV[1], '^(%u+) (.*)$')
if publish then
  redis.pcall(publish, channel, string.format('%.0f', wait))
end
return { answer, wait }
