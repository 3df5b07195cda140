-- The sorted set applied: token and id of each change that the outbox applied, with the µs of that. The remainder of a division by
-- CODES is the outcome: its place in OUTCOMES, from 0.
local OUTCOMES, CODES = 'SRKDCMIN', 8

local function applied_score(now, outcome)
  return now - now % CODES + string.find(OUTCOMES, outcome, 1, true) - 1
end

local function applied_outcome(score)
  local place = score % CODES + 1
  return string.sub(OUTCOMES, place, place)
end
