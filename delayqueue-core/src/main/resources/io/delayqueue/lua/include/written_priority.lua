-- The priority that an envelope names; nothing if the body is unreadable.
local function written_priority(envelope)
  return tonumber(string.sub(envelope, 3, 3))
end
