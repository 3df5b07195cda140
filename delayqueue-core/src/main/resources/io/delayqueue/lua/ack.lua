-- PURPOSE  Acks messages that were handled: deletes and counts them.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this ack, growing, the same when it is repeated; 3 MessagePack array of ids, distinct;
--          then for each run of messages of one claim: receipt, number of messages
-- RETURNS  {a digit for each message: 1 done, 0 its lease was lost and nothing changed}; if an outbox has sent to the partition, then
--          also: epoch, changes sent so far, messages ended so far
--          error STALE: a later ack of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 8 commands for any n, 1 more if any message of the partition has failed or kept its
--          receipt, 1 for each receipt that is not the deadline of its lease
-- CALLER   ConsumerOperations.ack
--@include keys
--@include lease_holder
local KIND = 'ack'
--@include recorded_call
--@include ended
local ids = cmsgpack.unpack(ARGV[3])

local known = redis.call('HMGET', meta, call_field, 'epoch', 'sent', 'acked', 'cancelled', 'purged')
local epoch, sent, ended = known[2], tonumber(known[3] or 0), ended_of(known[4], known[5], known[6])

local function answer(outcomes)
  outcomes = outcomes ~= '' and outcomes or string.rep('1', #ids)
  return epoch and { outcomes, epoch, sent, ended } or { outcomes }
end

-- 1. The same call once more, or a new one.
local refusal, recorded, recorded_outcomes = compare_call(known[1])
if refusal then
  return refusal
elseif recorded then
  return answer(recorded_outcomes)
end

-- 2. Messages whose lease is no longer this consumer's; nearly always there are none.
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local last, lost = 0, {}
for i = 4, #ARGV, 2 do
  local receipt, first = tonumber(ARGV[i]), last + 1
  last = last + ARGV[i + 1]
  for k = first, last do
    if not holds(ids[k], receipt, deadlines[k]) then
      lost[#lost + 1] = k
    end
  end
end
local held, outcomes = ids, ''
if #lost > 0 then
  local digit_of, next_lost = {}, 1
  held = {}
  for k = 1, #ids do
    if lost[next_lost] == k then
      next_lost = next_lost + 1
      digit_of[k] = '0'
    else
      held[#held + 1] = ids[k]
      digit_of[k] = '1'
    end
  end
  outcomes = table.concat(digit_of)
end
if #held == 0 then
  return answer(outcomes)
end

-- 3. Writes. Outcomes are left out of the record where all are done.
redis.call('ZREM', leased, unpack(held))
redis.call('HDEL', messages, unpack(held))
if redis.call('HLEN', attempts) > 0 then
  redis.call('HDEL', attempts, unpack(held))
end
redis.call('HINCRBY', meta, 'acked', #held)
ended = ended + #held
--@include now
record_call(now, outcomes)
return answer(outcomes)
