-- PURPOSE  Lists messages in flight, those whose leases end first, and tells which consumers hold how many.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts
-- ARGV     1 partition count that the caller assumes; 2 most to list (1..512)
-- RETURNS  {now µs; {consumer, messages that it holds, µs since when it has held the oldest or -1, …};
--          {id, µs at which its lease ends, failed attempts, bytes of its body, consumer or an empty string,
--          µs of its claim or -1, …}}; a consumer is known as far as recorded_leases.lua says
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(log l + n + r) for n listed of l leased, r leases that consumers recorded; 4 commands, one for each message listed and
--          for each recorded lease that may last still, of which it counts 2000 at most
-- CALLER   RedisMessageStore.inFlight
--@include numbers
--@include attempts
local MOST_COUNTED = 2000
local limit = tonumber(ARGV[2])

local assumed_partitions = ARGV[1]
--@include partition_check

--@include now
local listed = redis.call('ZRANGE', leased, 0, limit - 1, 'WITHSCORES')
if #listed == 0 then
  return { now, {}, {} }
end
local first_deadline = tonumber(listed[2])

-- By deadline: the consumer, and since when. Two consumers' deadlines that happen to be equal tell nothing.
local known, deadlines = {}, {}
local function note(deadline, consumer, since)
  if tonumber(deadline) < first_deadline then
    return
  elseif known[deadline] then
    if known[deadline][1] ~= consumer then
      known[deadline] = { '', -1 }
    end
  elseif #deadlines < MOST_COUNTED then
    known[deadline] = { consumer, since }
    deadlines[#deadlines + 1] = deadline
  end
end

local function note_claim(consumer, recorded)
  local receipt, lease, earlier = string.match(recorded, '^%d+:(%d+):%d*:(%d+):?([%d,]*)$')
  for deadline in string.gmatch(receipt and receipt .. ',' .. earlier or '', '%d+') do
    note(deadline, consumer, deadline - lease)
  end
end

local function note_extend(consumer, recorded)
  for deadline, since in string.gmatch(string.match(recorded, '::(.*)$') or '', '(%d+)-(%d*)') do
    note(deadline, consumer, tonumber(since) or -1)
  end
end

local fields = redis.call('HGETALL', meta)
for i = 1, #fields, 2 do
  local kind, consumer = string.match(fields[i], '^(%l+):(.+)$')
  if kind == 'extend' then
    note_extend(consumer, fields[i + 1])
  elseif kind == 'claim' then
    note_claim(consumer, fields[i + 1])
  end
end

local holders, held, oldest = {}, {}, {}
for i = 1, #deadlines do
  local deadline = deadlines[i]
  local consumer, since = known[deadline][1], known[deadline][2]
  local count = consumer ~= '' and redis.call('ZCOUNT', leased, deadline, deadline) or 0
  if count > 0 then
    if not held[consumer] then
      held[consumer], oldest[consumer] = 0, math.huge
      holders[#holders + 1] = consumer
    end
    held[consumer] = held[consumer] + count
    oldest[consumer] = since >= 0 and math.min(oldest[consumer], since) or oldest[consumer]
  end
end
local told = {}
for _, consumer in ipairs(holders) do
  told[#told + 1] = consumer
  told[#told + 1] = held[consumer]
  told[#told + 1] = oldest[consumer] < math.huge and oldest[consumer] or -1
end

local ids, answer = {}, {}
for i = 1, #listed, 2 do
  ids[#ids + 1] = listed[i]
end
local made = redis.call('HMGET', attempts, unpack(ids))
for i, id in ipairs(ids) do
  local deadline, n = listed[2 * i], #answer
  local holder = known[deadline] or { '', -1 }
  answer[n + 1], answer[n + 2] = id, tonumber(deadline)
  answer[n + 3], answer[n + 4] = (read_attempts(made[i])), redis.call('HSTRLEN', messages, id)
  answer[n + 5], answer[n + 6] = holder[1], holder[2]
end
return { now, told, answer }
