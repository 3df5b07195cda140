-- µs since the epoch, by the clock of this server.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
