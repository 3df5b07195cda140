-- PURPOSE  Tells a partition the partition count of its topic, which only grows; or asks for it.
-- KEYS     1 meta
-- ARGV     1 partition count, 0 to ask only; 2 1 if the topic is paused, else 0;
--          3 command and channel for wake-ups, or empty; 4 former partition counts to forget, separated by commas, or empty:
--          no message is left where they put it. They are kept for a while if an outbox uses the topic
-- RETURNS  {partition count; 1 if paused; former partition counts under which messages were scheduled here, …}
-- COST     O(1), up to 4 commands, 2 more if an outbox uses the topic; and PUBLISH if the count grew
-- CALLER   TopicOperations.partitions
--@include keys
--@include wake_up
local wanted = tonumber(ARGV[1])
-- Former partitions remember which changes of an outbox were applied. Twice as long as Redis remembers them by default.
local KEPT_US = 600000000

local state = redis.call('HMGET', meta, 'partitions', 'former', 'accepted', 'paused', 'epoch', 'increased')
local known, former, used, paused = state[1], state[2] or '', state[1] or state[3], state[4]
local epoch, increased = state[5], tonumber(state[6])
local count = tonumber(known or 1)
local grows = wanted > count

local function clock()
  --@include now
  return now
end

local function is_kept_for_an_outbox()
  return increased and clock() < increased + KEPT_US
end

local function save_count()
  redis.call('HSET', meta, 'partitions', wanted)
  if epoch then
    redis.call('HSET', meta, 'increased', digits(clock()))
  end
  -- no message was scheduled under the single partition of a topic that was never used
  if used and not string.find(',' .. former .. ',', ',' .. count .. ',', 1, true) then
    former = former == '' and tostring(count) or former .. ',' .. count
    redis.call('HSET', meta, 'former', former)
  end
  if ARGV[2] == '1' and not paused then
    redis.call('HSET', meta, 'paused', '1')
  end
  wake_up(ARGV[3], 0)
end

if grows then
  save_count()
elseif ARGV[4] ~= '' and ARGV[4] == former and wanted == count and not is_kept_for_an_outbox() then
  redis.call('HDEL', meta, 'former', 'increased')
  former = ''
end
local answer = { math.max(wanted, count), (paused or ARGV[2] == '1') and 1 or 0 }
for number in string.gmatch(former, '%d+') do
  answer[#answer + 1] = tonumber(number)
end
return answer
