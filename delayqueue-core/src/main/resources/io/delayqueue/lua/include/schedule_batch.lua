-- Schedules the messages of a batch: bodies, dues and policies as schedule.lua takes them, of common_priority if that is a number.
-- Changes bodies, dues and policies. Needs the partition check and now, and the includes of schedule.lua. Not a function, as that would
-- cost each call a tenth: returns what schedule.lua returns.
--@include keys
--@include priority_keys
--@include scheduling
--@include written_priority
--@include orphans
--@include wake_up
local count = #dues
-- The field format of meta: a newer version that changes the keys will write another number.
local META_FORMAT = 1
-- Claims read bodies one by one once a partition had one that is larger: 16 of this size are read in no time.
local LARGE = 65536

-- existing: states of the messages that kept others out; fresh: messages that the topic did not have; gain: how many ids their
-- sorted sets should gain.
local outcomes, existing, fresh, gain = nil, nil, count, count
local any_large = false
-- orphaned: overwritten bodies that were scheduled, leased and dead nowhere; moved: {former priority, id} of replaced messages.
local orphaned, overwritten, moved = 0, {}, {}

local function free_capacity()
  local free = max_pending
  for priority = 0, SUSPECT_PRIORITY do
    free = free - redis.call('ZCARD', scheduled(priority))
  end
  return free
end

-- The body of each id that is taken, false for the others; and whether there is any.
local function find_taken()
  local ids, any = {}, false
  for i = 1, count do
    ids[i] = bodies[2 * i - 1]
  end
  local present = redis.call('HMGET', messages, unpack(ids))
  for i = 1, count do
    any = any or present[i]
  end
  return present, any
end

-- Whether a message that only a former partition count puts here is not here any more.
local function former_message_is_gone(present)
  for i = 1, count do
    if not present[i] and string.find(policies, '^%l', i) then
      return true
    end
  end
  return false
end

-- Makes each due time absolute, and looks for large bodies. Returns the earliest due time of each priority.
local function earliest_dues()
  local earliest = {}
  for i = 1, #dues do
    local due = dues[i]
    if due < 0 then
      due = now - 1 - due
      dues[i] = due
    end
    any_large = any_large or #bodies[2 * i] > LARGE
    local priority = common_priority or written_priority(bodies[2 * i])
    if due < (earliest[priority] or math.huge) then
      earliest[priority] = due
    end
  end
  return earliest
end

-- Arguments of ZADD. Messages of one priority use the table of the bodies, which are written by now: a new one would have to grow.
local function collect_additions()
  if common_priority then
    for i = 1, #dues do
      bodies[2 * i], bodies[2 * i - 1] = bodies[2 * i - 1], dues[i]
    end
    additions[common_priority] = bodies
  else
    for i = 1, #dues do
      schedule_later(written_priority(bodies[2 * i]), dues[i], bodies[2 * i - 1])
    end
  end
end

-- 1. New messages and taken ids. The head is read before any write, as that fails if another program uses the key; nearly always
--    all ids are new.
local free = max_pending > 0 and free_capacity() or math.huge
local head_before = common_priority and redis.call('ZRANGE', scheduled(common_priority), 0, 0, 'WITHSCORES')
local present, any = find_taken()
if string.find(policies, '%l') then
  -- replaced here or refused, but never new: another caller may have found the id gone, and scheduled it where it belongs now
  if former_message_is_gone(present) then
    return redis.error_reply('PARTITIONS ' .. partition_count)
  end
  policies = string.upper(policies)
end
if any or free < count then
  -- replaces bodies, dues, outcomes, existing, fresh, gain and free; fills overwritten and moved, counts orphaned
  --@include step/sort_out
end
outcomes = outcomes or string.rep('S', count)
if #dues == 0 then
  -- Written all the same, deletion first: WAIT covers what its connection wrote, and a replica must refuse the call.
  redis.call('HDEL', meta, 'format')
  redis.call('HSET', meta, 'format', META_FORMAT)
  return { outcomes, -1, existing }
end

-- 2. Due times, and the new head if there is one.
local head
for priority, due in pairs(earliest_dues()) do
  local first = head_before or redis.call('ZRANGE', scheduled(priority), 0, 0, 'WITHSCORES')
  if (not first[1] or due < tonumber(first[2])) and (not head or due < head) then
    head = due
  end
  use_priority(priority)
end

-- 3. Writes. The first one adds: a full Redis refuses the call there, before anything has changed.
redis.call('HSET', messages, unpack(bodies))
if any_large then
  redis.call('HSET', meta, 'large', '1')
end
collect_additions()
for _, move in ipairs(moved) do
  redis.call('ZREM', scheduled(move[1]), move[2])
end
if #overwritten > 0 then
  redis.call('ZREM', dead, unpack(overwritten))
  redis.call('HDEL', errors, unpack(overwritten))
  redis.call('HDEL', attempts, unpack(overwritten))
end
-- those that the sets did not gain had a due time already, but no body any more
count_orphans(orphaned + gain - write_scheduled())
if fresh > 0 and redis.call('HINCRBY', meta, 'accepted', fresh) == fresh then
  redis.call('HSET', meta, 'format', META_FORMAT)
end
if not head then
  return { outcomes, -1, existing }
end

-- 4. The wake-up.
local wait = math.max(0, head - now)
wake_up(channel, wait)
return { outcomes, wait, existing }
