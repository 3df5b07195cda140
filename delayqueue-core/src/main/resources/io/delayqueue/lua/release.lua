-- PURPOSE  Gives leased messages back unhandled: due as before, no attempt counted.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 command and channel for wake-ups, or empty; then for each message: id, receipt, due µs, priority
-- RETURNS  a digit for each message: 1 done, 0 its lease was lost (or this is a repeated call) and nothing changed
-- COST     O(n log m) for n messages, m pending
-- CALLER   RedisMessageStore.release
local meta, leased = KEYS[1], KEYS[3]
local publish, channel = string.match(ARGV[1], '^(%u+) (.*)$')

local function scheduled(level)
  return KEYS[7 + level]
end

local ids = {}
for i = 2, #ARGV, 4 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local outcomes, done, additions, levels, levels_before = {}, {}, {}, nil, nil
for i, id in ipairs(ids) do
  local at = 4 * i - 2
  if deadlines[i] and tonumber(deadlines[i]) == tonumber(ARGV[at + 1]) then
    local level = tonumber(ARGV[at + 3])
    outcomes[i] = '1'
    done[#done + 1] = id
    local adding = additions[level] or {}
    additions[level] = adding
    adding[#adding + 1] = ARGV[at + 2]
    adding[#adding + 1] = id
    if level ~= 4 then
      levels = levels or redis.call('HGET', meta, 'levels') or ''
      levels_before = levels_before or levels
      if not string.find(levels, level, 1, true) then
        levels = levels .. level
      end
    end
  else
    outcomes[i] = '0'
  end
end
outcomes = table.concat(outcomes)
if #done == 0 then
  return outcomes
end

redis.call('ZREM', leased, unpack(done))
for level, adding in pairs(additions) do
  redis.call('ZADD', scheduled(level), unpack(adding))
end
if levels ~= levels_before then
  redis.call('HSET', meta, 'levels', levels)
end
if publish then
  redis.pcall(publish, channel, '0')
end
return outcomes
