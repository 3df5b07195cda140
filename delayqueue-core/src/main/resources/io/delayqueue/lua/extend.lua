-- PURPOSE  Renews leases; makes one shorter only if asked to.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 consumer; 2 number of this extend, growing, the same when it is repeated; 3 command and channel for wake-ups, or empty;
--          then for each message: id, receipt, lease µs from now; 0, or 1 for a suspect whose handler begins alone, 2 to keep the
--          receipt, 3 to keep it and end the lease that late, also if that is earlier than before; µs since its claim, -1 if unknown
-- RETURNS  for each message the deadline of its lease, which is its new receipt unless it keeps its own, or -1 if the lease was lost
--          and nothing changed; a repeated call that shows the receipt before the present one, of a renewal that made the lease no
--          longer, is told the present one
--          error STALE: a later extend of this consumer has been answered
-- COST     O(n log l) for n messages, l leased; 6 commands for any n, 2 more if any keeps its receipt, 1 for each receipt that is not
--          the deadline of its lease; 1 more if a lease is made shorter, and PUBLISH if it is the first to end then
-- CALLER   ConsumerOperations.extend
--@include keys
--@include numbers
--@include wake_up
--@include lease_kinds
--@include lease_holder
--@include attempts
--@include recorded_leases
local KIND = 'extend'
--@include recorded_call
local RENEW_ALONE, KEEP_RECEIPT, CHANGE = '1', '2', '3'
local ids = {}
for i = 4, #ARGV, 5 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local receipts = {}

local function receipt_of(i)
  return tonumber(ARGV[5 * i])
end

local function mode_of(i)
  return ARGV[5 * i + 2]
end

local function keeps_receipt(i)
  return mode_of(i) == KEEP_RECEIPT or mode_of(i) == CHANGE
end

-- A receipt that an extend kept is for such extends only: a renewal has a receipt of its own, and is told it once more by that.
local function is_held(i, id)
  if keeps_receipt(i) then
    return holds(id, receipt_of(i), deadlines[i])
  end
  return deadlines[i] and tonumber(deadlines[i]) == receipt_of(i)
end

-- Messages of different claims keep different deadlines, which tell since when they are in flight. Past the number of deadlines
-- that is recorded they share the last one: it tells their holder still.
local delays, distinct, LAST_DELAY = {}, 0, 4 * (MOST_DEADLINES - 1)
for i = 1, #ids do
  local receipt = ARGV[5 * i]
  if not keeps_receipt(i) and not delays[receipt] then
    delays[receipt] = math.min(4 * distinct, LAST_DELAY)
    distinct = distinct + 1
  end
end

-- µs since the claim, nil if it is unknown, or the deadline is that of several claims.
local function claimed_before(i)
  local micros = tonumber(ARGV[5 * i + 3])
  local is_shared = distinct > MOST_DEADLINES and delays[ARGV[5 * i]] == LAST_DELAY
  return micros >= 0 and not is_shared and micros or nil
end

-- Most messages of a call have the same deadline.
local texts = {}
local function deadline_text(deadline)
  local text = texts[deadline]
  if not text then
    text = digits(deadline)
    texts[deadline] = text
  end
  return text
end

-- Present: the deadline before the extend, which the new one is not before.
local function renewed(i, now, present)
  local ends = now + ARGV[5 * i + 1] + (keeps_receipt(i) and 0 or delays[ARGV[5 * i]])
  return deadline_of_kind(mode_of(i) == RENEW_ALONE and ALONE or EXTENDED, math.max(present, ends))
end

local before = redis.call('HGET', meta, call_field)
local refusal, recorded = compare_call(before)
if refusal then
  return refusal
elseif recorded then
  for i, id in ipairs(ids) do
    local receipt
    if keeps_receipt(i) then
      receipt = is_held(i, id) and tonumber(deadlines[i])
    else
      receipt = renewed(i, tonumber(recorded), receipt_of(i))
      receipt = deadlines[i] and tonumber(deadlines[i]) == receipt and receipt
    end
    receipts[i] = receipt or -1
  end
  return receipts
end

--@include now
local held, renewals, keeping, entries, noted = {}, {}, {}, {}, {}
local earlier_end = math.huge
for i, id in ipairs(ids) do
  if is_held(i, id) then
    receipts[i] = renewed(i, now, mode_of(i) == CHANGE and 0 or tonumber(deadlines[i]))
    if receipts[i] < tonumber(deadlines[i]) then
      earlier_end = math.min(earlier_end, receipts[i])
    end
    held[#held + 1] = id
    renewals[#renewals + 1] = deadline_text(receipts[i])
    renewals[#renewals + 1] = id
    if not noted[receipts[i]] then
      noted[receipts[i]] = true
      local micros = claimed_before(i)
      entries[#entries + 1] = digits(receipts[i]) .. '-' .. (micros and digits(now - micros) or '')
    end
    if keeps_receipt(i) then
      keeping[#keeping + 1] = i
    end
  else
    receipts[i] = -1
  end
end
if #held == 0 then
  return receipts
end

-- Entries of attempts that tell the receipt beside what they told before.
local kept = {}
if #keeping > 0 then
  local keeping_ids = {}
  for n, i in ipairs(keeping) do
    keeping_ids[n] = ids[i]
  end
  for n, value in ipairs(redis.call('HMGET', attempts, unpack(keeping_ids))) do
    local made, suspicion = read_attempts(value)
    local i = keeping[n]
    kept[2 * n - 1] = ids[i]
    kept[2 * n] = (value and made .. ':' .. suspicion or '0:0') .. ':' .. ARGV[5 * i] .. ':' .. deadline_text(receipts[i])
  end
end

-- Consumers that wait come when the first lease ends.
local first_end = earlier_end < math.huge and tonumber(redis.call('ZRANGE', leased, 0, 0, 'WITHSCORES')[2])

-- Removed first although ZADD alone would do: a full Redis refuses a script that begins by adding.
redis.call('ZREM', leased, unpack(held))
redis.call('ZADD', leased, unpack(renewals))
if #kept > 0 then
  redis.call('HSET', attempts, unpack(kept))
end
record_call(now, ':' .. with_earlier_deadlines(entries, before, now))
if first_end and earlier_end < first_end then
  wake_up(ARGV[3], earlier_end - now)
end
return receipts
