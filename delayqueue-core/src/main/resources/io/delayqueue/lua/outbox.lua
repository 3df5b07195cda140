-- PURPOSE  Applies changes that another store recorded, all of one kind, each once however often it is sent. Refuses them if they
--          come too late after they were read there.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects, 18 applied
-- ARGV     1 command and channel for wake-ups, or empty; 2 most pending messages, 0 for no limit;
--          3 partition count that the caller assumes; 4 µs since epoch: a time before the caller read the changes;
--          5 µs: how long after it they may come; 6 µs: how long applied changes are remembered; 7 nonce, in case an epoch begins;
--          8 a letter for each change: J, K, P schedule, with the policies of schedule.lua; C cancel; M reschedule; in lower case if
--          only a former partition count puts it here;
--          9 priority of all that are scheduled, or empty if it differs; 10 MessagePack array: token of each change, 8 characters;
--          11 MessagePack array: id, envelope, … of those to schedule, else ids; distinct ids; 12 MessagePack array of when each is
--          due: µs since epoch, or -1 - µs from now; empty for C; 13 epoch that the caller knew before it asked for the time of 4,
--          or empty
-- RETURNS  {a letter for each change: S scheduled, R replaced, K kept, D duplicate refused, F topic full and not applied;
--          C cancelled; M rescheduled; I in flight and not changed; N not found; in lower case the outcome of an earlier call that
--          applied the change; - not here but elsewhere, and not applied; all empty if the changes came too late, or may have been
--          read before the epoch, or there was none of this server, and one has begun;
--          µs until the new head is due, or -1 if the head did not change;
--          for each K and D in turn the state of the message that has the id: S scheduled, R ready, I in flight, D dead;
--          epoch; changes sent so far; messages ended so far}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     as schedule, cancel or reschedule; and 7 commands for any n, with INFO beside them; 1 more for each change in lower case;
--          2 more and no change if an epoch begins
-- CALLER   OutboxOperations.apply
--@include keys
--@include priority_keys
--@include numbers
--@include scheduling
--@include written_priority
--@include places
--@include orphans
--@include new_head
--@include wake_up
--@include applied_codes
local applied = KEYS[18]
local channel, max_pending, common_priority = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[9])
local read_after, send_timeout, remember_for = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
-- Each call forgets at most this many more changes than it adds, and as many again.
local MORE_FORGOTTEN = 16
-- Changes are forgotten by the time of the newest one that is older than this part of the memory. So after a long outage of Redis or
-- of all relays, the changes sent before it are still known for that time.
local GRACE = 0.2
-- µs after the beginning of an epoch from which times show that changes were read in it: clocks of a Cluster's servers differ.
local CLOCKS_DIFFER = 1000000

local assumed_partitions = ARGV[3]
--@include partition_check
--@include now
--@include server_epoch
--@include ended

-- 1. Too late: another relay may have applied the changes, and Redis has forgotten it, or has lost it since. So without an epoch, all
--    may be lost, and nothing is applied that was read before. An epoch of the future says that the clock was set back: it must not
--    refuse everything until then.
local known = redis.call('HMGET', meta, 'epoch', 'sent', 'server', 'acked', 'cancelled', 'purged')
local epoch, sent, ended = known[1] or '', tonumber(known[2] or 0), ended_of(known[4], known[5], known[6])
if now > read_after + send_timeout then
  return { '', -1, '', epoch, sent, ended }
end
if epoch == '' or began_elsewhere(epoch, known[3]) then
  return { '', -1, '', begin_epoch(epoch, sent, ended, ARGV[7]), sent, ended }
end
local began = tonumber(string.match(epoch, '^%d+') or 0)
if epoch ~= ARGV[13] and read_after < began + CLOCKS_DIFFER and began <= now then
  return { '', -1, '', epoch, sent, ended }
end

-- 2. Those that are left to apply.
local letters, tokens, items = ARGV[8], cmsgpack.unpack(ARGV[10]), cmsgpack.unpack(ARGV[11])
local bodies, dues = items, ARGV[12] ~= '' and cmsgpack.unpack(ARGV[12])
local schedules = #items > #tokens
local ids, members, answers = items, {}, {}
if schedules then
  ids = {}
  for i = 1, #tokens do
    ids[i] = items[2 * i - 1]
  end
end
for i = 1, #tokens do
  members[i] = tokens[i] .. ids[i]
end
local before, left = redis.call('ZMSCORE', applied, unpack(members)), {}
for i = 1, #tokens do
  if before[i] then
    answers[i] = string.lower(applied_outcome(tonumber(before[i])))
  elseif string.find(letters, '^%l', i) and redis.call('HEXISTS', messages, ids[i]) == 0 then
    answers[i] = '-'
  else
    left[#left + 1] = i
  end
end

local function leave_out_others()
  local some_bodies, some_ids, some_dues, some_letters = {}, {}, {}, {}
  for k, i in ipairs(left) do
    if schedules then
      some_bodies[2 * k - 1], some_bodies[2 * k] = bodies[2 * i - 1], bodies[2 * i]
    end
    some_ids[k], some_dues[k], some_letters[k] = ids[i], dues and dues[i], string.sub(letters, i, i)
  end
  bodies, ids, dues, letters = some_bodies, some_ids, some_dues, table.concat(some_letters)
end

-- 3. The changes. Each step reads before it writes.
local outcomes_left, wait, states = '', -1, nil
if #left < #tokens then
  leave_out_others()
end
if #left > 0 then
  local kind = string.upper(string.sub(letters, 1, 1))
  if kind == 'C' then
    --@include cancel_batch
    outcomes_left = cancel_batch()
  elseif kind == 'M' then
    --@include reschedule_batch
    outcomes_left, wait = reschedule_batch()
    outcomes_left = string.gsub(outcomes_left, 'R', 'M')
  else
    local policies = letters
    local function schedule_batch()
      --@include schedule_batch
    end
    local answer = schedule_batch()
    if answer.err then
      return answer
    end
    outcomes_left, wait, states = answer[1], answer[2], answer[3]
  end
end

-- 4. Remembers them, and forgets old ones. A deletion first, so that a full Redis does not refuse to remember.
local newest = redis.call('ZRANGE', applied, digits(now - GRACE * remember_for), '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
local old = newest[2] and redis.call('ZCOUNT', applied, '-inf', '(' .. digits(tonumber(newest[2]) - remember_for)) or 0
if old > 0 then
  redis.call('ZREMRANGEBYRANK', applied, 0, math.min(old, 2 * #tokens + MORE_FORGOTTEN) - 1)
else
  redis.call('ZREM', applied, '')
end
local remembered = {}
for k, i in ipairs(left) do
  local outcome = string.sub(outcomes_left, k, k)
  answers[i] = outcome
  if outcome ~= 'F' then
    remembered[#remembered + 1] = digits(applied_score(now, outcome))
    remembered[#remembered + 1] = members[i]
  end
end
if #remembered > 0 then
  redis.call('ZADD', applied, unpack(remembered))
end
-- Written in any case: WAIT covers what its connection wrote, and a replica must refuse the call.
sent = redis.call('HINCRBY', meta, 'sent', #remembered / 2)
return { table.concat(answers), wait, states or '', epoch, sent, ended }
