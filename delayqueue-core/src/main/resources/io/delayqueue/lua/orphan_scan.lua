-- PURPOSE  Dead-letters messages that are neither scheduled, leased nor dead, step by step: another program deleted keys, or
--          Redis evicted them, and their due time is lost.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 cursor that the last step returned, 0 for the first; 2 about how many messages to look at
-- RETURNS  {cursor of the next step, 0 after the last; {id, failed attempts, …} of those found}
-- COST     O(log m) for each message looked at, m pending; 14 commands, and up to 7 if any are found
-- CALLER   ConsumerOperations.scanOrphans
--@include keys
--@include envelope
--@include attempts
--@include dead_lettering
local REASON = 'its due time or its lease is missing: another program deleted its keys, or Redis evicted them'

local page = redis.call('HSCAN', messages, ARGV[1], 'COUNT', ARGV[2])
local cursor, ids, bodies = page[1], {}, {}
for i = 1, #page[2], 2 do
  local id = page[2][i]
  -- a page may have an id twice
  if not bodies[id] then
    ids[#ids + 1] = id
    bodies[id] = page[2][i + 1]
  end
end
if #ids == 0 then
  return { cursor, {} }
end

local known = {}
local function note_members(key)
  for i, score in ipairs(redis.call('ZMSCORE', key, unpack(ids))) do
    known[i] = known[i] or score
  end
end
note_members(leased)
note_members(dead)
for priority = 0, SUSPECT_PRIORITY do
  note_members(scheduled(priority))
end

local found = {}
for i, id in ipairs(ids) do
  if not known[i] then
    found[#found + 1] = id
  end
end
if #found == 0 then
  return { cursor, {} }
end

--@include now
local counts = redis.call('HMGET', attempts, unpack(found))
local answer = {}
for i, id in ipairs(found) do
  answer[2 * i - 1] = id
  answer[2 * i] = read_attempts(counts[i])
  dead_letter_later(id, priority_of(bodies[id]), REASON, now)
end

-- Writes. The first one deletes, so that a full Redis lets it pass.
redis.call('ZREM', leased, unpack(found))
write_dead_letters()
redis.call('HINCRBY', meta, 'orphaned', #found)
return { cursor, answer }
