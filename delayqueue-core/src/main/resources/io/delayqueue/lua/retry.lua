-- PURPOSE  Ends failed attempts: the message is scheduled again, or dead-lettered.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 consumer; 2 number of this retry, growing, the same when it is repeated; 3 command and channel for wake-ups, or empty;
--          then for each message: id, receipt, attempts made, delay µs or -1 to dead-letter it, priority, error
-- RETURNS  {a digit for each message: 1 done, 0 its lease was lost and nothing changed;
--          µs until the new head is due, or -1 if the head did not change}
--          error STALE: a later retry of this consumer has been answered
-- COST     O(n log m) for n messages, m pending
-- CALLER   RedisMessageStore.retry
local meta, leased, attempts, dead, errors = KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local turn_field = 'retry:' .. ARGV[1]
local publish, channel = string.match(ARGV[3], '^(%u+) (.*)$')

local function scheduled(level)
  return KEYS[7 + level]
end

local last_turn = redis.call('HGET', meta, turn_field)
if last_turn then
  local last, outcomes = string.match(last_turn, '^(%d+):%d+:(%d*)')
  if tonumber(last) > tonumber(ARGV[2]) then
    return redis.error_reply('STALE retry ' .. ARGV[2] .. ' came after retry ' .. last)
  elseif last == ARGV[2] then
    return { outcomes, -1 }
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ids = {}
for i = 4, #ARGV, 6 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local outcomes, done, counts, deaths, reasons, additions, heads = {}, {}, {}, {}, {}, {}, {}
for i, id in ipairs(ids) do
  local at = 6 * i - 2
  if deadlines[i] and tonumber(deadlines[i]) == tonumber(ARGV[at + 1]) then
    local delay, level = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    outcomes[i] = '1'
    done[#done + 1] = id
    counts[#counts + 1] = id
    counts[#counts + 1] = ARGV[at + 2]
    if delay < 0 then
      deaths[#deaths + 1] = string.format('%.0f', now)
      deaths[#deaths + 1] = id
      reasons[#reasons + 1] = id
      reasons[#reasons + 1] = level .. ARGV[at + 5]
    else
      local adding = additions[level] or {}
      additions[level] = adding
      adding[#adding + 1] = string.format('%.0f', now + delay)
      adding[#adding + 1] = id
      heads[level] = math.min(heads[level] or math.huge, now + delay)
    end
  else
    outcomes[i] = '0'
  end
end
outcomes = table.concat(outcomes)
if #done == 0 then
  return { outcomes, -1 }
end

local earliest, levels, levels_before
for level, head in pairs(heads) do
  local first = redis.call('ZRANGE', scheduled(level), 0, 0, 'WITHSCORES')
  if (not first[1] or head < tonumber(first[2])) and (not earliest or head < earliest) then
    earliest = head
  end
  if level ~= 4 then
    levels = levels or redis.call('HGET', meta, 'levels') or ''
    levels_before = levels_before or levels
    if not string.find(levels, level, 1, true) then
      levels = levels .. level
    end
  end
end

redis.call('ZREM', leased, unpack(done))
redis.call('HSET', attempts, unpack(counts))
for level, adding in pairs(additions) do
  redis.call('ZADD', scheduled(level), unpack(adding))
end
if levels ~= levels_before then
  redis.call('HSET', meta, 'levels', levels)
end
if #deaths > 0 then
  redis.call('ZADD', dead, unpack(deaths))
  redis.call('HSET', errors, unpack(reasons))
  redis.call('HINCRBY', meta, 'died', #deaths / 2)
end
if #done > #deaths / 2 then
  redis.call('HINCRBY', meta, 'retried', #done - #deaths / 2)
end
redis.call('HSET', meta, turn_field, ARGV[2] .. ':' .. string.format('%.0f', now) .. ':' .. outcomes)
if not earliest then
  return { outcomes, -1 }
end
local wait = earliest - now
if publish then
  redis.pcall(publish, channel, string.format('%.0f', wait))
end
return { outcomes, wait }
