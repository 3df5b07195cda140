-- PURPOSE  Ends messages that were handled.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this ack, growing, the same when it is repeated; 3 MessagePack array of ids, distinct;
--          then for each run of messages of one claim: receipt, how many
-- RETURNS  a digit for each message: 1 done, 0 its lease was lost and nothing changed
--          error STALE: a later ack of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 8 commands for any n, 1 more if any message of the partition has failed
-- CALLER   RedisMessageStore.ack
local meta, messages, leased, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local turn_field = 'ack:' .. ARGV[1]
local ids = cmsgpack.unpack(ARGV[3])

local last_turn = redis.call('HGET', meta, turn_field)
if last_turn then
  local last, outcomes = string.match(last_turn, '^(%d+):%d+:(%d*)')
  if tonumber(last) > tonumber(ARGV[2]) then
    return redis.error_reply('STALE ack ' .. ARGV[2] .. ' came after ack ' .. last)
  elseif last == ARGV[2] then
    return outcomes == '' and string.rep('1', #ids) or outcomes
  end
end

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

local done, outcomes = ids, ''
if #lost > 0 then
  local digits, next_lost = {}, 1
  done = {}
  for k = 1, #ids do
    if lost[next_lost] == k then
      next_lost = next_lost + 1
      digits[k] = '0'
    else
      done[#done + 1] = ids[k]
      digits[k] = '1'
    end
  end
  outcomes = table.concat(digits)
end
if #done == 0 then
  return outcomes
end

redis.call('ZREM', leased, unpack(done))
redis.call('HDEL', messages, unpack(done))
if redis.call('HLEN', attempts) > 0 then
  redis.call('HDEL', attempts, unpack(done))
end
redis.call('HINCRBY', meta, 'acked', #done)
local time = redis.call('TIME')
redis.call('HSET', meta, turn_field,
  ARGV[2] .. ':' .. string.format('%.0f', time[1] * 1000000 + time[2]) .. ':' .. outcomes)
return outcomes ~= '' and outcomes or string.rep('1', #ids)
