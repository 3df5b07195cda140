-- Ends expired leases. Each counts as an attempt, and another one follows, due at the lease's end. A last attempt does not count, a
-- few times, if its message may have been merely in flight when its consumer died; else the message is dead-lettered.
-- A step of claim.lua.
--@include envelope
--@include scheduling
--@include dead_lettering
-- claim.lua has read them already, so use_priority need not.
priorities, priorities_before = in_use, in_use
local REASON = 'lease expired: the consumer crashed, stalled or lost its connection'
-- The last attempt of a suspect is repeated this often if it had not begun, or was not alone in its process: a message that kills
-- for the first and the second time is no suspect yet.
local MOST_REPEATED = 2
-- A message that no handler began to handle is delivered again this often. Without a bound one that can't be read would for ever.
local MOST_UNBEGUN = 10
local ended, counts, bytes = {}, {}, 0

-- Attempts made and suspicion after the expired lease; attempts alone for a dead letter. A consumer extends the lease of a message
-- with a single attempt before its handler begins, and that of a suspect.
local function after_expiry(made_before, suspicion, most, kind)
  local made = made_before + 1
  if made < most then
    return made, (suspicion > 0 or made + 1 >= most) and SUSPECT_FROM or 1
  elseif most == 1 then
    if kind == CLAIMED and suspicion < MOST_UNBEGUN then
      return made_before, suspicion + 1
    end
  elseif suspicion < SUSPECT_FROM then
    return made_before, SUSPECT_FROM
  elseif kind ~= ALONE and suspicion < SUSPECT_FROM + MOST_REPEATED then
    return made_before, suspicion + 1
  end
  return made
end

for i = 1, #overdue, 2 do
  local id, deadline = overdue[i], overdue[i + 1]
  local envelope = redis.call('HGET', messages, id)
  ended[#ended + 1] = id
  if not envelope then
    orphans[#orphans + 1] = id
  else
    bytes = bytes + #envelope
    local priority = priority_of(envelope)
    local made_before, suspicion_before = read_attempts(redis.call('HGET', attempts, id))
    local made, suspicion = made_before + 1, suspicion_before
    if not is_newer(envelope) then
      made, suspicion = after_expiry(made_before, suspicion_before, max_attempts_of(envelope) or default_attempts,
        lease_kind(tonumber(deadline)))
    end
    counts[#counts + 1] = id
    if not suspicion then
      counts[#counts + 1] = made
      dead_lettered[#dead_lettered + 1] = id
      dead_lettered[#dead_lettered + 1] = made
      dead_letter_later(id, priority, REASON, now)
    else
      counts[#counts + 1] = suspicion > 0 and made .. ':' .. suspicion or made
      lease_expired[#lease_expired + 1] = id
      schedule_later(suspicion >= SUSPECT_FROM and SUSPECT_PRIORITY or priority, deadline, id)
    end
  end
  if bytes > most_bytes then
    break
  end
end
redis.call('ZREM', leased, unpack(ended))
if #counts > 0 then
  redis.call('HSET', attempts, unpack(counts))
end
write_scheduled()
if #lease_expired > 0 then
  redis.call('HINCRBY', meta, 'retried', #lease_expired)
end
write_dead_letters()
clean_up_orphans()
if repeated then
  record_claim(0)
end
