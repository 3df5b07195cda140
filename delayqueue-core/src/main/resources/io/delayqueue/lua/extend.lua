-- PURPOSE  Renews leases; makes none shorter.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this extend, growing, the same when it is repeated;
--          then for each message: id, receipt, lease µs from now, 1 for a suspect whose handler begins alone, else 0
-- RETURNS  for each message its new receipt, or -1 if the lease was lost and nothing changed; a repeated call that shows the receipt
--          before the present one, of a renewal that made the lease no longer, is told the present one
--          error STALE: a later extend of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 6 commands for any n
-- CALLER   RedisMessageStore.extend
--@include keys
--@include numbers
--@include lease_kinds
local KIND = 'extend'
--@include recorded_call
local ids = {}
for i = 3, #ARGV, 4 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local receipts = {}

local function receipt_of(i)
  return tonumber(ARGV[4 * i])
end

local function renewed(i, now)
  local kind = ARGV[4 * i + 2] == '1' and ALONE or EXTENDED
  return deadline_of_kind(kind, math.max(receipt_of(i), now + ARGV[4 * i + 1]))
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
  if deadlines[i] and tonumber(deadlines[i]) == receipt_of(i) then
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
