-- Collects messages by priority, to schedule them in one command for each.
--@include priority_keys
--@include numbers
--@include priorities
local additions = {}

-- Reads at most; call it before the first write.
local function schedule_later(priority, due, id)
  local members = additions[priority]
  if not members then
    use_priority(priority)
    members = {}
    additions[priority] = members
  end
  local n = #members
  members[n + 1] = due
  members[n + 2] = id
end

-- Number of the messages that were not scheduled before.
local function write_scheduled()
  local added = 0
  for priority, members in pairs(additions) do
    added = added + redis.call('ZADD', scheduled(priority), unpack(members))
  end
  save_priorities()
  return added
end
