--@include numbers

-- Publishes the µs until a message is due. The caller passes command and channel, or nothing. A denied PUBLISH costs
-- lateness only.
local function wake_up(command_and_channel, wait)
  local publish, channel = string.match(command_and_channel, '^(%u+) (.*)$')
  if publish then
    redis.pcall(publish, channel, digits(wait))
  end
end
