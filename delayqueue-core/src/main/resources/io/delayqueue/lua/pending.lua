-- PURPOSE  Lists pending messages after a position, in the order of their due times, those due at the same time in the order of
--          their ids. Reads no bodies but those of suspects.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; 2 most to list (1..512); 3 due µs and 4 id of the position, which need not
--          be a message's; an empty id comes before all others
-- RETURNS  {now µs; id, due µs, priority, failed attempts, bytes of its body, …}
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(log m + n) for n listed of m pending; for each priority in use 3 commands, and as many as it takes to halve the number
--          of messages due at the very time of the position; one for each message listed
-- CALLER   PendingMessageOperations.list
--@include in_use
--@include written_priority
--@include attempts
local limit, position = tonumber(ARGV[2]), ARGV[4]

local assumed_partitions = ARGV[1]
--@include partition_check

-- By bytes, as Redis orders members of the same score: Lua's own comparison follows the language of the server.
local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

-- Rank of the first message after the position. Messages by the thousand may be due at the same time.
local function first_rank(key)
  local low, high = redis.call('ZCOUNT', key, '-inf', '(' .. ARGV[3]), redis.call('ZCOUNT', key, '-inf', ARGV[3])
  while position ~= '' and low < high do
    local middle = math.floor((low + high) / 2)
    if precedes(position, redis.call('ZRANGE', key, middle, middle)[1]) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- The next messages of a priority: {id, due, …}, of which the first has not been listed yet.
local function read_priority(priority, key)
  local rank = first_rank(key)
  return { priority = priority, first = 1, members = redis.call('ZRANGE', key, rank, rank + limit - 1, 'WITHSCORES') }
end

-- A suspect is kept apart from those of its priority.
local function priority_of_member(priority, id)
  return priority < SUSPECT_PRIORITY and priority or written_priority(redis.call('HGET', messages, id) or '') or DEFAULT_PRIORITY
end

local function comes_first(a, b)
  local x, y = tonumber(a.members[a.first + 1]), tonumber(b.members[b.first + 1])
  return x < y or x == y and precedes(a.members[a.first], b.members[b.first])
end

local lists = {}
for _, priority in ipairs(priorities_in_use()) do
  lists[#lists + 1] = read_priority(priority, scheduled(priority))
end

--@include now
local answer, ids = { now }, {}
while #ids < limit do
  local head
  for _, list in ipairs(lists) do
    if list.members[list.first] and (not head or comes_first(list, head)) then
      head = list
    end
  end
  if not head then
    break
  end
  local id = head.members[head.first]
  ids[#ids + 1] = id
  local n = #answer
  answer[n + 1] = id
  answer[n + 2] = tonumber(head.members[head.first + 1])
  answer[n + 3] = priority_of_member(head.priority, id)
  answer[n + 4] = 0
  answer[n + 5] = redis.call('HSTRLEN', messages, id)
  head.first = head.first + 2
end
if #ids > 0 then
  for i, failed in ipairs(redis.call('HMGET', attempts, unpack(ids))) do
    answer[5 * i] = read_attempts(failed)
  end
end
return answer
