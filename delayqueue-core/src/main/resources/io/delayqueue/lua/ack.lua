-- PURPOSE  Ends messages that were handled.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this ack, growing, the same when it is repeated;
--          then for each message: id, receipt
-- RETURNS  a digit for each message: 1 done, 0 its lease was lost and nothing changed
--          error STALE: a later ack of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 8 commands for any n
-- CALLER   RedisMessageStore.ack
local meta, messages, leased, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local turn_field = 'ack:' .. ARGV[1]

local last_turn = redis.call('HGET', meta, turn_field)
if last_turn then
  local last, outcomes = string.match(last_turn, '^(%d+):%d+:(%d*)')
  if tonumber(last) > tonumber(ARGV[2]) then
    return redis.error_reply('STALE ack ' .. ARGV[2] .. ' came after ack ' .. last)
  elseif last == ARGV[2] then
    return outcomes == '' and string.rep('1', (#ARGV - 2) / 2) or outcomes
  end
end

local ids, receipts = {}, {}
for i = 3, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
  receipts[#receipts + 1] = tonumber(ARGV[i + 1])
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local done, outcomes = {}, {}
for i, id in ipairs(ids) do
  if deadlines[i] and tonumber(deadlines[i]) == receipts[i] then
    done[#done + 1] = id
    outcomes[i] = '1'
  else
    outcomes[i] = '0'
  end
end
outcomes = table.concat(outcomes)
if #done == 0 then
  return outcomes
end

redis.call('ZREM', leased, unpack(done))
redis.call('HDEL', messages, unpack(done))
redis.call('HDEL', attempts, unpack(done))
redis.call('HINCRBY', meta, 'acked', #done)
local time = redis.call('TIME')
redis.call('HSET', meta, turn_field,
  ARGV[2] .. ':' .. string.format('%.0f', time[1] * 1000000 + time[2]) .. ':' .. (#done < #ids and outcomes or ''))
return outcomes
