-- The hash attempts: 'attempts made', or 'attempts made:suspicion' after a lease of the message expired. Suspicion 1: a consumer
-- died with it in flight. From SUSPECT_FROM on the message may have killed its consumers, so it is kept with the suspects, and a process
-- takes one of those at a time. The end of an attempt, however it ends, ends the suspicion. A receipt that an extend kept may follow, see
-- lease_holder.lua.
local SUSPECT_FROM = 2

-- Attempts made, and the suspicion.
local function read_attempts(value)
  if not value then
    return 0, 0
  end
  local made, suspicion = string.match(value, '^(%d+):?(%d*)')
  return tonumber(made or 0), tonumber(suspicion or 0) or 0
end
