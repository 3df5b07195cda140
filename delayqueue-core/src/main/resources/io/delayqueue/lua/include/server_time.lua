-- µs since the epoch, by the clock of this server.
local function server_time()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
