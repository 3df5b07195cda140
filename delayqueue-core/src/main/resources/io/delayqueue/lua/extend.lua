-- PURPOSE  Renews leases; makes none shorter.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this extend, growing, the same when it is repeated;
--          then for each message: id, receipt, lease µs from now
-- RETURNS  for each message its new receipt, or -1 if the lease was lost and nothing changed
--          error STALE: a later extend of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 6 commands for any n
-- CALLER   RedisMessageStore.extend
local meta, leased = KEYS[1], KEYS[3]
local turn_field = 'extend:' .. ARGV[1]

-- Even, since a claim's receipt is odd and no other lease may share that.
local function renewed(i, now)
  local deadline = now + tonumber(ARGV[3 * i + 2])
  return math.max(tonumber(ARGV[3 * i + 1]), deadline + deadline % 2)
end

local ids = {}
for i = 3, #ARGV, 3 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local receipts = {}

local last_turn = redis.call('HGET', meta, turn_field)
if last_turn then
  local last, at = string.match(last_turn, '^(%d+):(%d+)')
  if tonumber(last) > tonumber(ARGV[2]) then
    return redis.error_reply('STALE extend ' .. ARGV[2] .. ' came after extend ' .. last)
  elseif last == ARGV[2] then
    for i = 1, #ids do
      local receipt = renewed(i, tonumber(at))
      receipts[i] = deadlines[i] and tonumber(deadlines[i]) == receipt and receipt or -1
    end
    return receipts
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local held, renewals = {}, {}
for i, id in ipairs(ids) do
  if deadlines[i] and tonumber(deadlines[i]) == tonumber(ARGV[3 * i + 1]) then
    receipts[i] = renewed(i, now)
    held[#held + 1] = id
    renewals[#renewals + 1] = string.format('%.0f', receipts[i])
    renewals[#renewals + 1] = id
  else
    receipts[i] = -1
  end
end
if #held == 0 then
  return receipts
end

-- Removed first although ZADD alone would do: a full Redis refuses a script that begins by adding.
redis.call('ZREM', leased, unpack(held))
redis.call('ZADD', leased, unpack(renewals))
redis.call('HSET', meta, turn_field, ARGV[2] .. ':' .. string.format('%.0f', now))
return receipts
