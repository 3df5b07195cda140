-- The field priorities of meta: digits of the priorities that may have scheduled messages, the default one left out, and the mark of
-- the suspects if there may be any. Read when the first message of another priority is scheduled, written if that changed it.
-- in_use.lua lists them, and claim.lua removes those that turn out to have no message.
--@include priority_keys
local priorities, priorities_before

local function use_priority(priority)
  if priority ~= DEFAULT_PRIORITY then
    if not priorities then
      priorities = redis.call('HGET', meta, 'priorities') or ''
      priorities_before = priorities
    end
    local mark = priority == SUSPECT_PRIORITY and SUSPECTS_MARK or priority
    if not string.find(priorities, mark, 1, true) then
      priorities = priorities .. mark
    end
  end
end

local function save_priorities()
  if priorities ~= priorities_before then
    redis.call('HSET', meta, 'priorities', priorities)
  end
end
