-- PURPOSE  Counts the messages of one or more partitions, all in one instant.
-- KEYS     for each partition: 1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors,
--          7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     none
-- RETURNS  {now µs; for each partition {scheduled, ready, due µs of the message ready for the longest time or -1, next due µs
--          or -1, in flight, dead, 1 if paused, partition count, accepted, acked, cancelled, expired, purged, retried,
--          deadLettered, redriven, orphaned, deferred, postponed}}
-- COST     O(log m) for each partition, m pending; up to 8 commands for one partition, 7 for each further one,
--          4 for each other priority in use and for suspects
-- CALLER   TopicOperations.statsOf
--@include numbers
--@include priority_numbers
local KEYS_OF_A_PARTITION = 17
local TOTALS = { 'accepted', 'acked', 'cancelled', 'expired', 'purged', 'retried', 'deadLettered', 'redriven', 'orphaned',
  'deferred', 'postponed' }
--@include now
local now_text = digits(now)

-- {scheduled, ready, oldest ready or -1, next due or -1}
local function count_pending(first, priorities)
  local pending, ready, oldest_ready, next_due = 0, 0, math.huge, math.huge
  for priority = 0, SUSPECT_PRIORITY do
    local mark = priority == SUSPECT_PRIORITY and SUSPECTS_MARK or priority
    if priority == DEFAULT_PRIORITY or string.find(priorities, mark, 1, true) then
      local key = KEYS[first + 6 + priority]
      local due = redis.call('ZCOUNT', key, '-inf', now_text)
      ready = ready + due
      pending = pending + redis.call('ZCARD', key)
      if due > 0 then
        oldest_ready = math.min(oldest_ready, tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]))
      end
      local following = redis.call('ZRANGE', key, due, due, 'WITHSCORES')[2]
      if following then
        next_due = math.min(next_due, tonumber(following))
      end
    end
  end
  return { pending - ready, ready, oldest_ready < math.huge and oldest_ready or -1, next_due < math.huge and next_due or -1 }
end

local function partition(first)
  local fields = redis.call('HMGET', KEYS[first], 'paused', 'priorities', 'partitions', unpack(TOTALS))
  local numbers = count_pending(first, fields[2] or '')
  numbers[5] = redis.call('ZCARD', KEYS[first + 2])
  numbers[6] = redis.call('ZCARD', KEYS[first + 4])
  numbers[7] = fields[1] and 1 or 0
  numbers[8] = tonumber(fields[3] or 1)
  for i = 1, #TOTALS do
    numbers[8 + i] = tonumber(fields[3 + i] or 0)
  end
  return numbers
end

local answer = { now }
for first = 1, #KEYS, KEYS_OF_A_PARTITION do
  answer[#answer + 1] = partition(first)
end
return answer
