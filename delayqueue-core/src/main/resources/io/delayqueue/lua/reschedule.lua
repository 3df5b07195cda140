-- PURPOSE  Gives messages that are not in flight a new due time; a dead letter is scheduled again.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 command and channel for wake-ups, or empty; 2 partition count that the caller assumes;
--          3 due (µs since epoch, or -1 - µs from now); then ids, distinct
-- RETURNS  {a letter for each message: R rescheduled, I in flight and not rescheduled, N not found;
--          µs until they are due}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(n log m) for n messages, m pending; and PUBLISH if the head is earlier
-- CALLER   RedisMessageStore.reschedule
--@include keys
--@include numbers
--@include places
--@include scheduling
--@include new_head
--@include wake_up
local assumed_partitions = ARGV[2]
--@include partition_check

--@include now
local due = tonumber(ARGV[3])
if due < 0 then
  due = now - 1 - due
end

local revived, moved = {}, {}

local function reschedule(id)
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
  return 'R'
end

local outcomes, earlier = {}, false
for i = 4, #ARGV do
  outcomes[i - 3] = reschedule(ARGV[i])
end
for priority in pairs(additions) do
  earlier = is_new_head(priority, due) or earlier
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
local wait = math.max(0, due - now)
if earlier then
  wake_up(ARGV[1], wait)
end
return { table.concat(outcomes), wait }
