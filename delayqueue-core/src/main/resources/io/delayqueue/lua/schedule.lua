-- PURPOSE  Schedules new messages of a topic, telling repeated calls and duplicates apart.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 command and channel for wake-ups, or empty; 2 most pending messages, 0 for no limit;
--          3 partition count that the caller assumes; 4 policies, a letter for each message: J reject, K keep, P replace; in lower
--          case if only a former partition count puts it here;
--          5 their priority, or empty if it differs; 6 MessagePack array: id, envelope, …, ids distinct;
--          7 MessagePack array of when each is due: µs since epoch, or -1 - µs from now
-- RETURNS  {a letter for each message: S scheduled, R replaced, K kept, D duplicate refused, F topic full;
--          µs until the new head is due, or -1 if the head did not change;
--          if there are K or D: the state of the message that has the id, a letter for each of them: S scheduled, R ready,
--          I in flight, D dead}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes, or a message in lower case is no
--          longer here
-- COST     O(n log m) for n messages, m pending; 7 commands for any n, 11 more with a limit, 3 for each
--          duplicate; and PUBLISH if the head is earlier
-- CALLER   RedisMessageStore.schedule
--@include keys
--@include priority_keys
--@include scheduling
--@include written_priority
--@include orphans
--@include wake_up
local max_pending, policies, common_priority = tonumber(ARGV[2]), ARGV[4], tonumber(ARGV[5])
-- Packed, as arguments of their own would cost half as much again.
local bodies, dues = cmsgpack.unpack(ARGV[6]), cmsgpack.unpack(ARGV[7])
local count = #dues
-- The field format of meta: a newer version that changes the keys will write another number.
local META_FORMAT = 1
-- Claims read bodies one by one once a partition had one that is larger: 16 of this size are read in no time.
local LARGE = 65536

local assumed_partitions = ARGV[3]
--@include partition_check
--@include now
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
local function has_gone(present)
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
  if has_gone(present) then
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
wake_up(ARGV[1], wait)
return { outcomes, wait, existing }
