-- The entry of a dead letter in dead:errors: a digit, its priority, then the error.
--@include priority_keys
local function error_text(entry)
  return string.sub(entry or '', 2)
end

local function error_priority(entry)
  return tonumber(string.sub(entry or '', 1, 1)) or DEFAULT_PRIORITY
end
