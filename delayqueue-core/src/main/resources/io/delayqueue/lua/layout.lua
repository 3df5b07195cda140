-- PURPOSE  Tells a partition how many partitions its topic has; never fewer than it knows of.
-- KEYS     1 meta
-- ARGV     1 partitions, 0 to ask only; 2 1 if the topic is paused, else 0;
--          3 command and channel for wake-ups, or empty
-- RETURNS  {partitions; 1 if paused; numbers of partitions under which messages were scheduled here before, …}
-- COST     O(1), up to 6 commands; and PUBLISH if it is news
-- CALLER   RedisMessageStore.layout
local meta, wanted = KEYS[1], tonumber(ARGV[1])
local publish, channel = string.match(ARGV[3], '^(%u+) (.*)$')

local known = redis.call('HMGET', meta, 'partitions', 'former', 'scheduled', 'paused')
local partitions, former = tonumber(known[1] or 1), known[2] or ''
local news = wanted > partitions
-- a topic that was never used as the one partition it had has nothing to look for there
if news and (known[1] or known[3]) and not string.find(',' .. former .. ',', ',' .. partitions .. ',', 1, true) then
  former = former == '' and tostring(partitions) or former .. ',' .. partitions
end
local paused = known[4] or ARGV[2] == '1'

if news then
  redis.call('HSET', meta, 'partitions', wanted)
  if former ~= (known[2] or '') then
    redis.call('HSET', meta, 'former', former)
  end
  if paused and not known[4] then
    redis.call('HSET', meta, 'paused', '1')
  end
  if publish then
    redis.pcall(publish, channel, '0')
  end
end

local answer = { math.max(wanted, partitions), paused and 1 or 0 }
for number in string.gmatch(former, '%d+') do
  answer[#answer + 1] = tonumber(number)
end
return answer
