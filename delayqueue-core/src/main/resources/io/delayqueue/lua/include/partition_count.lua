--@include keys

-- An error if the topic has another partition count than the caller assumes.
local function partitions_changed(assumed)
  local count = redis.call('HGET', meta, 'partitions') or '1'
  return count ~= assumed and redis.error_reply('PARTITIONS ' .. count)
end
