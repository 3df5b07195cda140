--@include priority_keys
--@include envelope

-- Priority under which a message is scheduled (SUSPECT_PRIORITY for a suspect), and its due time; nothing if it is not. An unreadable body
-- does not tell its priority: then all are searched.
local function scheduled_place(id, envelope)
  local written = written_priority(envelope)
  for priority = written or 0, written or HIGHEST_PRIORITY do
    local due = redis.call('ZSCORE', scheduled(priority), id)
    if due then
      return priority, due
    end
  end
  local due = redis.call('ZSCORE', scheduled(SUSPECT_PRIORITY), id)
  if due then
    return SUSPECT_PRIORITY, due
  end
end

-- Where a message that has a body is: 'leased' and its deadline, 'dead' and since when, or its priority and due time;
-- nothing if another program deleted the keys around it.
local function place_of(id, envelope)
  local deadline = redis.call('ZSCORE', leased, id)
  if deadline then
    return 'leased', deadline
  end
  local since = redis.call('ZSCORE', dead, id)
  if since then
    return 'dead', since
  end
  return scheduled_place(id, envelope)
end
