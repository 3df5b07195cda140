-- Reads and writes what an envelope begins with.
--@include envelope_format
--@include priority_keys
--@include written_priority

-- An unreadable body counts as one of default priority, so that it does not stop the other messages of the call.
local function priority_of(envelope)
  return written_priority(envelope) or DEFAULT_PRIORITY
end

local function outcome_of(envelope)
  return string.sub(envelope, 2, 2)
end

local function with_outcome(envelope, outcome)
  return string.sub(envelope, 1, 1) .. outcome .. string.sub(envelope, 3)
end

local function generation_of(envelope)
  return string.sub(envelope, 5, 12)
end

-- Nothing if the message leaves it to its consumer.
local function max_attempts_of(envelope)
  return tonumber(string.match(envelope, '^%d*', LIMITS_AT))
end
