-- Key of the due times of a priority, 0 to 9, or of the suspects.
--@include keys
local DEFAULT_PRIORITY = 4
-- Suspects are kept apart, as if this were their priority. In the field priorities of meta it is an 's'.
local SUSPECTS = 10

local function scheduled(priority)
  return KEYS[7 + priority]
end
