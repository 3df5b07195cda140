-- PURPOSE  Renews leases; makes none shorter.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this extend, growing, the same when it is repeated;
--          then for each message: id, receipt, lease µs from now, negative for a suspect whose handler begins alone
-- RETURNS  for each message its new receipt, or -1 if the lease was lost and nothing changed
--          error STALE: a later extend of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 6 commands for any n
-- CALLER   RedisMessageStore.extend
--@include keys
--@include numbers
local KIND = 'extend'
--@include recorded_call
local ids = {}
for i = 3, #ARGV, 3 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local receipts = {}

-- Even, as a claim's receipt is odd and no other lease may share that. The end of an expired lease tells the three kinds apart:
-- 2 modulo 4 for a suspect that is alone, else a multiple of 4.
local function renewed(i, now)
  local lease = tonumber(ARGV[3 * i + 2])
  local deadline = math.max(tonumber(ARGV[3 * i + 1]), now + math.abs(lease))
  return deadline + ((lease < 0 and 2 or 0) - deadline) % 4
end

local refusal, recorded = compare_call(redis.call('HGET', meta, call_field))
if refusal then
  return refusal
elseif recorded then
  for i = 1, #ids do
    local receipt = renewed(i, tonumber(recorded))
    receipts[i] = deadlines[i] and tonumber(deadlines[i]) == receipt and receipt or -1
  end
  return receipts
end

--@include now
local held, renewals = {}, {}
for i, id in ipairs(ids) do
  if deadlines[i] and tonumber(deadlines[i]) == tonumber(ARGV[3 * i + 1]) then
    receipts[i] = renewed(i, now)
    held[#held + 1] = id
    renewals[#renewals + 1] = digits(receipts[i])
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
record_call(now)
return receipts
