-- PURPOSE  Ends messages that were handled.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this ack, growing, the same when it is repeated; 3 MessagePack array of ids, distinct;
--          then for each run of messages of one claim: receipt, number of messages
-- RETURNS  a digit for each message: 1 done, 0 its lease was lost and nothing changed
--          error STALE: a later ack of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 8 commands for any n, 1 more if any message of the partition has failed
-- CALLER   RedisMessageStore.ack
--@include keys
--@include server_time
--@include recorded_call
local ids = cmsgpack.unpack(ARGV[3])

local function all_done()
  return string.rep('1', #ids)
end

-- Positions of the messages whose lease is another consumer's by now.
local function find_lost()
  local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
  local last, lost = 0, {}
  for i = 4, #ARGV, 2 do
    local receipt, first = tonumber(ARGV[i]), last + 1
    last = last + ARGV[i + 1]
    for k = first, last do
      if not deadlines[k] or tonumber(deadlines[k]) ~= receipt then
        lost[#lost + 1] = k
      end
    end
  end
  return lost
end

local function without(lost)
  local held, outcomes, next_lost = {}, {}, 1
  for k = 1, #ids do
    if lost[next_lost] == k then
      next_lost = next_lost + 1
      outcomes[k] = '0'
    else
      held[#held + 1] = ids[k]
      outcomes[k] = '1'
    end
  end
  return held, table.concat(outcomes)
end

local refusal, recorded, recorded_outcomes = compare_call('ack', redis.call('HGET', meta, call_field('ack')))
if refusal then
  return refusal
elseif recorded then
  return recorded_outcomes == '' and all_done() or recorded_outcomes
end

local lost = find_lost()
local held, outcomes = ids, ''
if #lost > 0 then
  held, outcomes = without(lost)
end
if #held == 0 then
  return outcomes
end

redis.call('ZREM', leased, unpack(held))
redis.call('HDEL', messages, unpack(held))
if redis.call('HLEN', attempts) > 0 then
  redis.call('HDEL', attempts, unpack(held))
end
redis.call('HINCRBY', meta, 'acked', #held)
record_call('ack', server_time(), outcomes)
return outcomes ~= '' and outcomes or all_done()
