-- Selects the messages that a claim takes, of all priorities. Reads only.
-- A step of claim.lua.
-- How long a message of a newer version is out of the way. Its own consumers claim it in that time.
local DEFER_US = 5000000
-- Bodies read by one command, where all are small. Those read beyond the most bytes were read in vain.
local CHUNK = 16
-- A prefetched message waits up to 10 ms for its handler slot. None of higher priority should fall due meanwhile.
local PREFETCH_US = 10000
local chunk = has_large and 1 or CHUNK

-- Adds a message to its list: orphans, deferred, expired or claimed. Returns the bytes claimed by that.
local function classify(id, at, envelope, priority)
  if not envelope then
    orphans[#orphans + 1] = id
    return 0
  end
  local version, _, _, limited = string.byte(envelope, 1, 4)
  local time_to_live = limited == HAS_TIME_TO_LIVE and tonumber(string.match(envelope, '^%d*,(%d+)', LIMITS_AT))
  if version ~= ENVELOPE_VERSION and is_newer(envelope) then
    deferred[priority] = deferred[priority] or {}
    table.insert(deferred[priority], digits(now + DEFER_US))
    table.insert(deferred[priority], id)
    deferred_count = deferred_count + 1
    return 0
  elseif time_to_live and now >= at + time_to_live then
    expired[#expired + 1] = id
    return 0
  end
  local n = #ids + 1
  ids[n], claimed[3 * n - 2], claimed[3 * n - 1], claimed[3 * n] = id, id, at, envelope
  return #envelope
end

-- Classifies the messages of a priority that are due until the horizon, and notes to take them out of their sorted set. Returns
-- their number and the bytes claimed so far. Large bodies are read one by one, so that none is read in vain.
local function select_due(priority, horizon, limit, bytes)
  local key = scheduled(priority)
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', digits(horizon), 'WITHSCORES', 'LIMIT', 0, limit)
  local found, done = #due / 2, 0
  while done < found and bytes < most_bytes do
    local wanted = {}
    for i = done + 1, math.min(done + chunk, found) do
      wanted[#wanted + 1] = due[2 * i - 1]
    end
    local envelopes = redis.call('HMGET', messages, unpack(wanted))
    for i = 1, #wanted do
      local id, at, envelope = wanted[i], tonumber(due[2 * done + 2]), envelopes[i]
      if at > now then
        -- a message of a newer version is never claimed early
        if early_left == 0 or envelope and is_newer(envelope) then
          found = done
          break
        end
        early_left = early_left - 1
        latest_due = at
      end
      bytes = bytes + classify(id, at, envelope, priority)
      done = done + 1
      if bytes >= most_bytes then
        break
      end
    end
  end
  if done > 0 then
    selected[#selected + 1] = { key, done }
  end
  return done, bytes
end

-- When the first message of each other priority in use is due, and the earliest of these times.
local function heads_of_others()
  local heads, earliest = {}, math.huge
  for digit in string.gmatch(in_use, '%d') do
    local priority = tonumber(digit)
    local due = tonumber(redis.call('ZRANGE', scheduled(priority), 0, 0, 'WITHSCORES')[2])
    if due then
      heads[priority] = due
      earliest = math.min(earliest, due)
    else
      emptied[#emptied + 1] = digit
    end
  end
  return heads, earliest
end

-- A suspect takes one of the slots, if any is due and this consumer may have one. Returns what select_due does.
local function select_suspect()
  local first = redis.call('ZRANGE', scheduled(SUSPECT_PRIORITY), 0, 1, 'WITHSCORES')
  if not first[1] then
    emptied[#emptied + 1] = SUSPECTS_MARK
    return 0, 0
  end
  local next_due, done, bytes = tonumber(first[2]), 0, 0
  if may_take_suspect and slots > 0 and next_due <= now then
    done, bytes = select_due(SUSPECT_PRIORITY, now, 1, 0)
    next_due = tonumber(first[4])
  end
  suspect_wait = next_due and math.max(0, next_due - now) or -1
  return done, bytes
end

-- Highest priority first, as far as number and bytes allow. Where one of another priority is due soon, early claims and prefetch
-- would let a message of low priority pass it.
local function select_by_priority()
  local done, bytes, left = 0, 0, slots
  if in_use ~= '' then
    if string.find(in_use, SUSPECTS_MARK, 1, true) then
      done, bytes = select_suspect()
      left = left - done
    end
    local heads, earliest = heads_of_others()
    if earliest <= now + math.max(early, PREFETCH_US) then
      heads[DEFAULT_PRIORITY] = now
      for priority = HIGHEST_PRIORITY, 0, -1 do
        if left > 0 and bytes < most_bytes and heads[priority] and heads[priority] <= now then
          done, bytes = select_due(priority, now, left, bytes)
          left = left - done
        end
      end
      return
    end
  end
  select_due(DEFAULT_PRIORITY, early_left > 0 and now + early or now, left + prefetch, bytes)
end

select_by_priority()
