-- Meta records the last answered call of each kind and consumer, so that a repeated call is recognised:
-- 'kind:consumer' is 'number:µs:outcomes', outcomes being left out where there are none. ARGV 1 is the consumer, ARGV 2 the
-- number; the script says its KIND before.
--@include keys
--@include numbers
local call_field = KIND .. ':' .. ARGV[1]

-- An error if a later call was answered. For the recorded call itself: no error, and the µs and outcomes recorded.
local function compare_call(recorded)
  if not recorded then
    return
  end
  local number, micros, outcomes = string.match(recorded, '^(%d+):(%d+):?(%d*)')
  if tonumber(number) > tonumber(ARGV[2]) then
    return redis.error_reply('STALE ' .. KIND .. ' ' .. ARGV[2] .. ' came after ' .. KIND .. ' ' .. number)
  elseif number == ARGV[2] then
    return nil, micros, outcomes
  end
end

local function record_call(micros, outcomes)
  local value = ARGV[2] .. ':' .. digits(micros)
  redis.call('HSET', meta, call_field, outcomes and value .. ':' .. outcomes or value)
end
