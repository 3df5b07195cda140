-- PURPOSE  Leases due messages to a consumer; first takes back what crashed consumers held. Messages of later versions
--          of the envelope are left to consumers that know them.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 consumer; 2 number of this claim, growing, the same when it is repeated; 3 most messages (0..512);
--          4 lease µs; 5 attempts for messages that name none; 6 dead letter retention µs, 0 for no tidying up;
--          7 most bytes to return; 8 1 if this number was sent before without an answer, else 0;
--          9 µs ahead: what is due so soon is leased too, unless other priorities are in use; 10 how many of those at most;
--          11 how many messages more than 3, unless other priorities are in use (with 3 up to 512)
-- RETURNS  {now µs; µs until this consumer should claim again, -1 if nothing is waiting; 1 if paused; receipt;
--          {id, due µs, envelope, …}; {failed attempts of each, …}, empty if none has any; {expired id, …};
--          {id taken back, …}; {dead id, attempts, …}; orphans cleaned up; partitions of the topic;
--          messages left to later versions; messages that are neither scheduled, leased nor dead, looked for with 6 only}
--          error STALE: a later claim of this consumer has been answered
-- COST     O(n log m) for n messages, m pending; 13 commands when it claims up to 16 messages, 1 more beyond, and 1 for each 16 more,
--          1 if any message of the partition has failed;
--          12 for tidying up; 6 commands when it claims none; up to 5 for each other priority in use, and one more for each priority
--          if messages were ever left to later versions
-- CALLER   RedisMessageStore.claim
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local turn_field, turn, limit, lease = 'claim:' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local default_attempts, retention, most_bytes = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local ahead, ahead_room, beyond = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local VERSION = 49
local LEFT_US = 5000000
local GIVE_WAY_US = 250000
local TAKE_BACK = 64
local PURGE = 100
local CHUNK = 16
-- No id: no UTF-8. And longer than what Redis keeps in a sorted set that is one block of memory.
local PLACEHOLDER = string.rep('\255', 65)

local function scheduled(level)
  return KEYS[7 + level]
end

local function score(number)
  return string.format('%.0f', number)
end

-- A body that makes no sense counts as one of default priority, lest it stop its neighbours.
local function priority(envelope)
  return tonumber(string.sub(envelope, 3, 3)) or 4
end

-- Later versions begin with a later digit or a capital letter; where the first four characters stand never changes.
local function is_later(envelope)
  local version = string.byte(envelope)
  return version and version > VERSION and (version <= 57 or version >= 65 and version <= 90)
end

-- A claim without messages counts too if it is sent once more: the first sending may still arrive, and must find its
-- turn taken. Deleted first, so that a full Redis lets it pass.
local function take_turn(receipt)
  redis.call('HDEL', meta, turn_field)
  redis.call('HSET', meta, turn_field, ARGV[2] .. ':' .. score(receipt))
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local state = redis.call('HMGET', meta, 'paused', 'levels', turn_field, 'partitions', 'left')
local paused, levels = state[1], state[2] or ''
local claimed, failed, expired, taken_back, died, orphans, left, left_count, strays = {}, {}, {}, {}, {}, {}, {}, 0, 0

-- Most partitions have no message that failed.
local function count_failed(ids)
  if #ids > 0 and redis.call('HLEN', attempts) > 0 then
    local counts = redis.call('HMGET', attempts, unpack(ids))
    for i = 1, #ids do
      failed[i] = tonumber(counts[i] or 0)
    end
  end
end

local function answer(wait, receipt)
  return { now, wait, paused and 1 or 0, receipt, claimed, failed, expired, taken_back, died, #orphans,
    tonumber(state[4] or 1), left_count, strays }
end

-- 1. The same call once more: the reply was lost, what it leased is still this consumer's.
if state[3] then
  local last, receipt = string.match(state[3], '^(%d+):(%d+)')
  if tonumber(last) > turn then
    return redis.error_reply('STALE claim ' .. ARGV[2] .. ' came after claim ' .. last)
  elseif tonumber(last) == turn then
    -- Unless the lease is over by now. Nobody knows any more when they are due, but not later than was claimed ahead.
    local again, begun = {}, tonumber(receipt) - lease
    for _, id in ipairs(tonumber(receipt) > now and redis.call('ZRANGEBYSCORE', leased, receipt, receipt) or {}) do
      local envelope = redis.call('HGET', messages, id)
      if envelope then
        again[#again + 1] = id
        claimed[#claimed + 1] = id
        claimed[#claimed + 1] = ahead > 0 and begun + ahead or math.min(now, begun)
        claimed[#claimed + 1] = envelope
      end
    end
    count_failed(again)
    return answer(0, tonumber(receipt))
  end
elseif redis.call('HLEN', meta) > 100 then
  -- consumers that never came back leave their last turns behind
  local forgotten, fields = {}, redis.call('HGETALL', meta)
  for i = 1, #fields, 2 do
    local at = string.find(fields[i], ':', 1, true) and string.match(fields[i + 1], '^%d+:(%d+)')
    if at and tonumber(at) < now - 3600000000 then
      forgotten[#forgotten + 1] = fields[i]
    end
  end
  if #forgotten > 0 then
    redis.call('HDEL', meta, unpack(forgotten, 1, math.min(#forgotten, 1000)))
  end
end

-- 2. Leases that ran out: another attempt, or the end.
local overdue = redis.call('ZRANGEBYSCORE', leased, '-inf', score(now), 'WITHSCORES', 'LIMIT', 0, TAKE_BACK)
if #overdue > 0 then
  local gone, counts, additions, deaths, reasons, bytes = {}, {}, {}, {}, {}, 0
  for i = 1, #overdue, 2 do
    local id, envelope = overdue[i], redis.call('HGET', messages, overdue[i])
    gone[#gone + 1] = id
    if not envelope then
      orphans[#orphans + 1] = id
    else
      bytes = bytes + #envelope
      local level = priority(envelope)
      local made = tonumber(redis.call('HGET', attempts, id) or 0) + 1
      local allowed = tonumber(string.match(envelope, '^%d*', 13)) or default_attempts
      counts[#counts + 1] = id
      counts[#counts + 1] = made
      if made >= allowed and not is_later(envelope) then
        died[#died + 1] = id
        died[#died + 1] = made
        deaths[#deaths + 1] = score(now)
        deaths[#deaths + 1] = id
        reasons[#reasons + 1] = id
        reasons[#reasons + 1] = level .. 'lease expired: the consumer crashed, stalled or lost its connection'
      else
        taken_back[#taken_back + 1] = id
        local adding = additions[level] or {}
        additions[level] = adding
        adding[#adding + 1] = overdue[i + 1]
        adding[#adding + 1] = id
      end
    end
    if bytes > most_bytes then
      break
    end
  end
  redis.call('ZREM', leased, unpack(gone))
  if #counts > 0 then
    redis.call('HSET', attempts, unpack(counts))
  end
  local in_use = levels
  for level, adding in pairs(additions) do
    redis.call('ZADD', scheduled(level), unpack(adding))
    if level ~= 4 and not string.find(in_use, level, 1, true) then
      in_use = in_use .. level
    end
  end
  if in_use ~= levels then
    redis.call('HSET', meta, 'levels', in_use)
  end
  if #taken_back > 0 then
    redis.call('HINCRBY', meta, 'retried', #taken_back)
  end
  if #deaths > 0 then
    redis.call('ZADD', dead, unpack(deaths))
    redis.call('HSET', errors, unpack(reasons))
    redis.call('HINCRBY', meta, 'died', #deaths / 2)
  end
  if #orphans > 0 then
    redis.call('HDEL', attempts, unpack(orphans))
    redis.call('HINCRBY', meta, 'orphaned', #orphans)
    redis.call('HINCRBY', meta, 'purged', #orphans)
  end
  if ARGV[8] == '1' then
    take_turn(0)
  end
  return answer(0, 0)
end

-- 3. Tidying up: dead letters kept for long enough, and what became of messages whose keys somebody deleted.
if retention > 0 then
  local old = redis.call('ZRANGEBYSCORE', dead, '-inf', score(now - retention), 'LIMIT', 0, PURGE)
  if #old > 0 then
    redis.call('ZREM', dead, unpack(old))
    redis.call('HDEL', messages, unpack(old))
    redis.call('HDEL', errors, unpack(old))
    redis.call('HDEL', attempts, unpack(old))
    redis.call('HINCRBY', meta, 'purged', #old)
  end
  strays = redis.call('HLEN', messages) - redis.call('ZCARD', leased) - redis.call('ZCARD', dead)
  for level = 0, 9 do
    strays = strays - redis.call('ZCARD', scheduled(level))
  end
  strays = math.max(0, strays)
end

-- 4. What is due, highest priority first, as far as number and bytes allow.
local removals, idle_levels, ids, room, bytes = {}, {}, {}, limit, 0
local function take(level, horizon)
  local due = redis.call('ZRANGEBYSCORE', scheduled(level), '-inf', score(horizon), 'WITHSCORES', 'LIMIT', 0, room)
  local found, done, chunk = #due / 2, 0, CHUNK
  if found == 0 and level ~= 4 and redis.call('ZCARD', scheduled(level)) == 0 then
    idle_levels[#idle_levels + 1] = level
  end
  while done < found and bytes < most_bytes do
    local wanted = {}
    for i = done + 1, math.min(done + chunk, found) do
      wanted[#wanted + 1] = due[2 * i - 1]
    end
    local envelopes, read = redis.call('HMGET', messages, unpack(wanted)), 0
    for i = 1, #wanted do
      local id, at, envelope = wanted[i], tonumber(due[2 * (done + 1)]), envelopes[i]
      if at > now then
        -- whoever can read a later version has to find it where it is
        if ahead_room == 0 or envelope and is_later(envelope) then
          found = done
          break
        end
        ahead_room = ahead_room - 1
      end
      if not envelope then
        orphans[#orphans + 1] = id
      else
        read = read + #envelope
        local version, _, _, limited = string.byte(envelope, 1, 4)
        local to_live = limited == 116 and tonumber(string.match(envelope, '^%d*,(%d+)', 13))
        if version ~= VERSION and is_later(envelope) then
          left[level] = left[level] or {}
          table.insert(left[level], score(now + LEFT_US))
          table.insert(left[level], id)
          left_count = left_count + 1
        elseif to_live and now >= at + to_live then
          expired[#expired + 1] = id
        else
          local n = #ids + 1
          ids[n] = id
          claimed[3 * n - 2] = id
          claimed[3 * n - 1] = at
          claimed[3 * n] = envelope
          bytes = bytes + #envelope
        end
      end
      done = done + 1
      if bytes >= most_bytes then
        break
      end
    end
    -- large bodies: read no more of them than may be returned, as far as can be guessed
    if read > 0 then
      chunk = math.max(1, math.min(CHUNK, math.ceil((most_bytes - bytes) / (read / #wanted))))
    end
  end
  if done > 0 then
    removals[#removals + 1] = { scheduled(level), done }
    room = room - done
  end
end

if not paused then
  if levels == '' then
    room = limit + beyond
    take(4, ahead_room > 0 and now + ahead or now)
  else
    for level = 9, 0, -1 do
      if room > 0 and bytes < most_bytes and (level == 4 or string.find(levels, level, 1, true)) then
        take(level, now)
      end
    end
  end
end

-- The receipt names this claim: no other lease may share it. It is odd, and those of extend are even.
local receipt = now + lease
receipt = receipt + 1 - receipt % 2
if #ids > 0 then
  count_failed(ids)
  while redis.call('ZCOUNT', leased, score(receipt), score(receipt)) > 0 do
    receipt = receipt + 2
  end
end

-- Writes. Each branch begins with a deletion, so that a full Redis lets it pass.
for _, removal in ipairs(removals) do
  redis.call('ZREMRANGEBYRANK', removal[1], 0, removal[2] - 1)
end
for level, members in pairs(left) do
  redis.call('ZADD', scheduled(level), unpack(members))
end
if left_count > 0 then
  redis.call('HINCRBY', meta, 'left', left_count)
end
if #idle_levels > 0 then
  redis.call('HDEL', meta, 'levels')
  for _, level in ipairs(idle_levels) do
    levels = string.gsub(levels, level, '')
  end
  if levels ~= '' then
    redis.call('HSET', meta, 'levels', levels)
  end
end
if #ids > 0 then
  local leases, at, n = {}, score(receipt), 0
  -- The set is filled from empty again and again; as a block of memory it would be searched from its start for each id.
  if #ids > CHUNK then
    leases[1], leases[2], n = at, PLACEHOLDER, 2
  end
  for i = 1, #ids do
    leases[n + 1] = at
    leases[n + 2] = ids[i]
    n = n + 2
  end
  redis.call('ZADD', leased, unpack(leases))
  if #ids > CHUNK then
    redis.call('ZREM', leased, PLACEHOLDER)
  end
end
if #ids > 0 or ARGV[8] == '1' then
  take_turn(receipt)
end
if #expired > 0 then
  redis.call('HDEL', messages, unpack(expired))
  redis.call('HDEL', attempts, unpack(expired))
  redis.call('HINCRBY', meta, 'expired', #expired)
end
if #orphans > 0 then
  redis.call('HDEL', attempts, unpack(orphans))
  redis.call('HINCRBY', meta, 'orphaned', #orphans)
  redis.call('HINCRBY', meta, 'purged', #orphans)
end

local next_at = redis.call('ZRANGE', leased, 0, 0, 'WITHSCORES')[2]
next_at = next_at and tonumber(next_at) or math.huge
if not paused then
  for level = 0, 9 do
    if level == 4 or string.find(levels, level, 1, true) then
      local head = redis.call('ZRANGE', scheduled(level), 0, 0, 'WITHSCORES')
      if head[1] then
        local at = tonumber(head[2])
        -- who knows it shall be there first, or it would be put off time and again
        if (state[5] or left_count > 0) and at > now and is_later(redis.call('HGET', messages, head[1]) or '') then
          at = at + GIVE_WAY_US
        end
        next_at = math.min(next_at, at)
      end
    end
  end
end
return answer(next_at == math.huge and -1 or math.max(0, next_at - now), receipt)
