-- An expired lease counts as an attempt; another follows, or the message is dead-lettered. Its due time is the lease's end.
-- A step of claim.lua.
--@include envelope
--@include scheduling
--@include dead_lettering
priorities, priorities_before = in_use, in_use
local REASON = 'lease expired: the consumer crashed, stalled or lost its connection'
local ended, counts, bytes = {}, {}, 0
for i = 1, #overdue, 2 do
  local id, deadline = overdue[i], overdue[i + 1]
  local envelope = redis.call('HGET', messages, id)
  ended[#ended + 1] = id
  if not envelope then
    orphans[#orphans + 1] = id
  else
    bytes = bytes + #envelope
    local priority = priority_of(envelope)
    local made = tonumber(redis.call('HGET', attempts, id) or 0) + 1
    counts[#counts + 1] = id
    counts[#counts + 1] = made
    if made >= (max_attempts_of(envelope) or default_attempts) and not is_newer(envelope) then
      dead_lettered[#dead_lettered + 1] = id
      dead_lettered[#dead_lettered + 1] = made
      dead_letter_later(id, priority, REASON, now)
    else
      lease_expired[#lease_expired + 1] = id
      schedule_later(priority, deadline, id)
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
