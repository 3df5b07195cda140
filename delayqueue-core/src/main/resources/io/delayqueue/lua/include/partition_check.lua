-- Refuses the call if the topic has another partition count than the caller assumes.
--@include keys
local partition_count = redis.call('HGET', meta, 'partitions') or '1'
if partition_count ~= assumed_partitions then
  return redis.error_reply('PARTITIONS ' .. partition_count)
end
