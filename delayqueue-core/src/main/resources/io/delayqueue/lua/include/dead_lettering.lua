-- Collects messages to dead-letter them together. Their priority stands before the error, so that a redrive need not read
-- their bodies.
--@include keys
--@include numbers
local newly_dead, newly_errors = {}, {}

local function dead_letter_later(id, priority, error_text, now)
  local n = #newly_dead
  newly_dead[n + 1] = digits(now)
  newly_dead[n + 2] = id
  newly_errors[n + 1] = id
  newly_errors[n + 2] = priority .. error_text
end

-- Number of the messages dead-lettered.
local function write_dead_letters()
  local count = #newly_dead / 2
  if count > 0 then
    redis.call('ZADD', dead, unpack(newly_dead))
    redis.call('HSET', errors, unpack(newly_errors))
    redis.call('HINCRBY', meta, 'deadLettered', count)
  end
  return count
end
