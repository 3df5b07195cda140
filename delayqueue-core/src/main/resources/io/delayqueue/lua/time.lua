-- PURPOSE  Tells the time of the server that has the partition, with as little around it as can be.
-- KEYS     1 meta
-- ARGV     none
-- RETURNS  now µs
-- COST     O(1); 1 command
-- CALLER   RedisMessageStore.time
local time = redis.call('TIME')
return time[1] * 1000000 + time[2]
