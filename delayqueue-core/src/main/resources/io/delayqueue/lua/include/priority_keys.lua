-- Key of the due times of a priority, 0 to 9.
--@include keys
local DEFAULT_PRIORITY = 4

local function scheduled(priority)
  return KEYS[7 + priority]
end
