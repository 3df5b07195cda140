-- PURPOSE  Ends attempts that failed or were postponed: the message is scheduled again, no longer as a suspect, or dead-lettered.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 consumer; 2 number of this retry, growing, the same when it is repeated; 3 command and channel for wake-ups, or empty;
--          then for each message: id, receipt, attempts made, delay µs or -1 to dead-letter it, priority,
--          and the error of a dead letter, or 'postponed' if the attempt is not counted
-- RETURNS  {a digit for each message: 1 done, 0 its lease was lost and nothing changed;
--          µs until the new head is due, or -1 if the head did not change}
--          error STALE: a later retry of this consumer has been answered
-- COST     O(n log m) for n messages, m pending; 1 command for each receipt that is not the deadline of its lease
-- CALLER   ConsumerOperations.retry
--@include keys
--@include numbers
local KIND = 'retry'
local POSTPONED = 'postponed'
--@include recorded_call
--@include lease_holder
--@include scheduling
--@include new_head
--@include dead_lettering
--@include wake_up
local refusal, recorded, recorded_outcomes = compare_call(redis.call('HGET', meta, call_field))
if refusal then
  return refusal
elseif recorded then
  return { recorded_outcomes, -1 }
end

--@include now
local ids = {}
for i = 4, #ARGV, 6 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local held, counts, first_due = {}, {}, {}
local postponed = 0

local function end_attempt(id, attempts_made, delay, priority, error_text)
  held[#held + 1] = id
  counts[#counts + 1] = id
  counts[#counts + 1] = attempts_made
  if delay < 0 then
    dead_letter_later(id, priority, error_text, now)
  else
    if error_text == POSTPONED then
      postponed = postponed + 1
    end
    schedule_later(priority, digits(now + delay), id)
    first_due[priority] = math.min(first_due[priority] or math.huge, now + delay)
  end
end

-- Due time of the new first message; nothing if the first did not change.
local function new_head()
  local earliest
  for priority, due in pairs(first_due) do
    if is_new_head(priority, due) and (not earliest or due < earliest) then
      earliest = due
    end
  end
  return earliest
end

local outcomes = {}
for i, id in ipairs(ids) do
  local at = 6 * i - 2
  if holds(id, tonumber(ARGV[at + 1]), deadlines[i]) then
    outcomes[i] = '1'
    end_attempt(id, ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), ARGV[at + 5])
  else
    outcomes[i] = '0'
  end
end
outcomes = table.concat(outcomes)
if #held == 0 then
  return { outcomes, -1 }
end
local earliest = new_head()

redis.call('ZREM', leased, unpack(held))
redis.call('HSET', attempts, unpack(counts))
write_scheduled()
local retried = #held - postponed - write_dead_letters()
if retried > 0 then
  redis.call('HINCRBY', meta, 'retried', retried)
end
if postponed > 0 then
  redis.call('HINCRBY', meta, 'postponed', postponed)
end
record_call(now, outcomes)
if not earliest then
  return { outcomes, -1 }
end
local wait = earliest - now
wake_up(ARGV[3], wait)
return { outcomes, wait }
