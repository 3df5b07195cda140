-- An answer with the partition's mark after it. Needs meta.
--@include ended
local function with_mark(answer)
  local known = redis.call('HMGET', meta, 'epoch', 'sent', 'acked', 'cancelled', 'purged')
  if not known[1] then
    return { answer }
  end
  return { answer, known[1], tonumber(known[2] or 0), ended_of(known[3], known[4], known[5]) }
end
