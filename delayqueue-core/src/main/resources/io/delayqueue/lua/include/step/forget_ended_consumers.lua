-- Deletes the recorded calls of consumers that crashed.
-- A step of claim.lua.
-- One hour: no claim takes that long.
local FORGOTTEN_AFTER_US = 3600000000
local MOST_FORGOTTEN = 1000
local forgotten, fields = {}, redis.call('HGETALL', meta)
for i = 1, #fields, 2 do
  local at = string.find(fields[i], ':', 1, true) and string.match(fields[i + 1], '^%d+:(%d+)')
  if at and tonumber(at) < now - FORGOTTEN_AFTER_US then
    forgotten[#forgotten + 1] = fields[i]
  end
end
if #forgotten > 0 then
  redis.call('HDEL', meta, unpack(forgotten, 1, math.min(#forgotten, MOST_FORGOTTEN)))
end
