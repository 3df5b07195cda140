--@include keys

-- Counts messages that another program deleted keys of, and that were cleaned up.
local function count_orphans(count)
  if count > 0 then
    redis.call('HINCRBY', meta, 'orphaned', count)
    redis.call('HINCRBY', meta, 'purged', count)
  end
end
