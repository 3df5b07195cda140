-- For a batch with taken ids, or one that exceeds the most pending messages: keeps in bodies and dues the messages to write, and
-- recounts.
-- A step of schedule_batch.lua.
--@include envelope
--@include places

-- The outcome of a message whose id may be taken, the place of the message that has the id, whether to write anything, and for
-- a place in a sorted set the score there.
local function decide(id, policy, envelope, present)
  if not present then
    return 'S', nil, true
  elseif generation_of(present) == generation_of(envelope) then
    -- the same call once more: its reply was lost
    return outcome_of(present), nil, false
  end
  local place, score = place_of(id, present)
  if not place then
    return 'S', nil, true
  elseif policy == 'K' and place ~= 'dead' then
    return 'K', place, false, score
  elseif policy == 'J' or place == 'leased' then
    return 'D', place, false, score
  end
  return 'R', place, true, score
end

local function state_of(place, score)
  if place == 'leased' then
    return 'I'
  elseif place == 'dead' then
    return 'D'
  end
  return tonumber(score) > now and 'S' or 'R'
end

local letters, kept_bodies, kept_dues, states = {}, {}, {}, {}
fresh, gain = 0, 0
for i = 1, count do
  local id, envelope = bodies[2 * i - 1], bodies[2 * i]
  local outcome, place, writes, score = decide(id, string.sub(policies, i, i), envelope, present[i])
  if writes and (outcome == 'S' or place == 'dead') then
    if free < 1 then
      outcome, writes = 'F', false
    else
      free, fresh = free - 1, fresh + (outcome == 'S' and 1 or 0)
    end
  elseif outcome == 'K' or outcome == 'D' then
    states[#states + 1] = state_of(place, score)
  end
  letters[i] = outcome
  if writes then
    gain = gain + 1
    if present[i] then
      overwritten[#overwritten + 1] = id
      orphaned = orphaned + (outcome == 'S' and 1 or 0)
    end
    if outcome == 'R' then
      if place == written_priority(envelope) then
        gain = gain - 1
      elseif place ~= 'dead' then
        moved[#moved + 1] = { place, id }
      end
      envelope = with_outcome(envelope, 'R')
    end
    local n = #kept_dues + 1
    kept_dues[n], kept_bodies[2 * n - 1], kept_bodies[2 * n] = dues[i], id, envelope
  end
end
bodies, dues = kept_bodies, kept_dues
outcomes, existing = table.concat(letters), table.concat(states)
