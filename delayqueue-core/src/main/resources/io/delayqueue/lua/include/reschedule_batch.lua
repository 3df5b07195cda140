-- Gives the messages of ids, distinct, new due times: those of dues, µs since epoch, or -1 - µs from now. Needs the partition check and
-- now. Changes dues.
--@include keys
--@include numbers
--@include places
--@include scheduling
--@include new_head
--@include wake_up
local revived, moved, earliest = {}, {}, {}

local function reschedule(id, due)
  if redis.call('ZSCORE', leased, id) then
    return 'I'
  end
  local envelope = redis.call('HGET', messages, id)
  if not envelope then
    return 'N'
  end
  local priority
  if redis.call('ZSCORE', dead, id) then
    priority = priority_of(envelope)
    revived[#revived + 1] = id
  else
    priority = scheduled_place(id, envelope)
    if not priority then
      return 'N'
    end
    moved[priority] = moved[priority] or {}
    table.insert(moved[priority], id)
  end
  schedule_later(priority, digits(due), id)
  earliest[priority] = math.min(earliest[priority] or due, due)
  return 'R'
end

-- A letter for each message, as reschedule.lua returns them, and the µs until the first of them is due if it is a new head, or -1.
local function reschedule_batch()
  local outcomes, head = {}, nil
  for i = 1, #ids do
    if dues[i] < 0 then
      dues[i] = now - 1 - dues[i]
    end
    outcomes[i] = reschedule(ids[i], dues[i])
  end
  for priority, due in pairs(earliest) do
    if is_new_head(priority, due) then
      head = math.min(head or due, due)
    end
  end

  -- Removed first although ZADD alone would do: a full Redis refuses a script that begins by adding.
  for priority, members in pairs(moved) do
    redis.call('ZREM', scheduled(priority), unpack(members))
  end
  if #revived > 0 then
    redis.call('ZREM', dead, unpack(revived))
    redis.call('HDEL', errors, unpack(revived))
    redis.call('HDEL', attempts, unpack(revived))
    redis.call('HINCRBY', meta, 'redriven', #revived)
  end
  write_scheduled()
  local wait = head and math.max(0, head - now) or -1
  if head then
    wake_up(channel, wait)
  end
  return table.concat(outcomes), wait
end
