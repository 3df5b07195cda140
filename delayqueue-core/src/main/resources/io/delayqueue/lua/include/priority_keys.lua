-- Key of the due times of a priority, 0 to 9, or of the suspects.
--@include keys
--@include priority_numbers

local function scheduled(priority)
  return KEYS[7 + priority]
end
