--@include priority_keys

-- Whether a message due then would be the first of its priority.
local function is_new_head(priority, due)
  local head = redis.call('ZRANGE', scheduled(priority), 0, 0, 'WITHSCORES')[2]
  return not head or due < tonumber(head)
end
