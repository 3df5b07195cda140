-- A whole number as Redis reads it: Lua would write a large one as 1.7e+15.
local function digits(number)
  return string.format('%.0f', number)
end
