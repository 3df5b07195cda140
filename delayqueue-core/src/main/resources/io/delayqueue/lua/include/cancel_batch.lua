-- Cancels the messages of ids, distinct. Needs the partition check.
--@include keys
--@include priority_keys
--@include orphans
-- unplaced: numbers of the ids whose place is not known yet
local outcomes, unplaced, cancelled, cancelled_by_key = {}, {}, {}, {}

local function unplaced_ids()
  local of = {}
  for k, i in ipairs(unplaced) do
    of[k] = ids[i]
  end
  return of
end

-- Takes those that a sorted set has out of the unplaced, with their outcome.
local function place(key, outcome)
  local rest, searched = {}, unplaced_ids()
  for k, score in ipairs(#searched > 0 and redis.call('ZMSCORE', key, unpack(searched)) or {}) do
    if not score then
      rest[#rest + 1] = unplaced[k]
    else
      outcomes[unplaced[k]] = outcome
      if outcome == 'C' then
        cancelled[#cancelled + 1] = searched[k]
        cancelled_by_key[key] = cancelled_by_key[key] or {}
        table.insert(cancelled_by_key[key], searched[k])
      end
    end
  end
  unplaced = rest
end

-- A letter for each message, as cancel.lua returns them.
local function cancel_batch()
  for i = 1, #ids do
    outcomes[i] = 'N'
    unplaced[i] = i
  end

  -- Most are scheduled at default priority; only a message that has a body is searched for in all others.
  place(leased, 'I')
  place(scheduled(DEFAULT_PRIORITY), 'C')
  place(dead, 'C')
  local with_body = {}
  for _, i in ipairs(unplaced) do
    if redis.call('HEXISTS', messages, ids[i]) == 1 then
      with_body[#with_body + 1] = i
    end
  end
  unplaced = with_body
  for priority = 0, SUSPECT_PRIORITY do
    if priority ~= DEFAULT_PRIORITY then
      place(scheduled(priority), 'C')
    end
  end
  local orphans = unplaced_ids()

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
end
