-- PURPOSE  Counts the messages of one or more partitions, all in one instant.
-- KEYS     for each partition: 1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors,
--          7..16 scheduled of priority 0..9
-- ARGV     none
-- RETURNS  {now µs; for each partition {scheduled, waiting, ready, in flight, dead, acked, cancelled, expired, purged,
--          retried, died, redriven, orphaned, left to later versions, due time of the longest ready µs or -1,
--          next due µs or -1, 1 if paused, partitions of the topic}}
-- COST     O(log m) for each partition, m pending; up to 8 commands for one partition, 7 for each further one,
--          4 for each other priority in use
-- CALLER   RedisMessageStore.stats
local COUNTERS = { 'scheduled', 'acked', 'cancelled', 'expired', 'purged', 'retried', 'died', 'redriven', 'orphaned',
  'left' }

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_text = string.format('%.0f', now)

local function partition(first)
  local fields = redis.call('HMGET', KEYS[first], 'paused', 'levels', 'partitions', unpack(COUNTERS))
  local counts = {}
  for i, name in ipairs(COUNTERS) do
    counts[name] = tonumber(fields[i + 3] or 0)
  end
  local waiting, ready, oldest, next_due = 0, 0, math.huge, math.huge
  for level = 0, 9 do
    if level == 4 or string.find(fields[2] or '', level, 1, true) then
      local key = KEYS[first + 6 + level]
      local due = redis.call('ZCOUNT', key, '-inf', now_text)
      ready = ready + due
      waiting = waiting + redis.call('ZCARD', key) - due
      if due > 0 then
        oldest = math.min(oldest, tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]))
      end
      local following = redis.call('ZRANGE', key, due, due, 'WITHSCORES')[2]
      if following then
        next_due = math.min(next_due, tonumber(following))
      end
    end
  end
  return {
    counts.scheduled, waiting, ready, redis.call('ZCARD', KEYS[first + 2]), redis.call('ZCARD', KEYS[first + 4]),
    counts.acked, counts.cancelled, counts.expired, counts.purged, counts.retried, counts.died, counts.redriven,
    counts.orphaned, counts.left, oldest < math.huge and oldest or -1, next_due < math.huge and next_due or -1,
    fields[1] and 1 or 0, tonumber(fields[3] or 1)
  }
end

local answer = { now }
for first = 1, #KEYS, 16 do
  answer[#answer + 1] = partition(first)
end
return answer
