-- How an envelope begins: version, outcome of its schedule, priority, t if it has a time to live, nonce, then
-- 'attempts,time to live µs,'. The class Envelope writes it. A newer version keeps the first four characters where they are.
--@include keys
--@include formats
local LIMITS_AT = 13
local HAS_TIME_TO_LIVE = 116

-- Nothing if the body makes no sense.
local function written_priority(envelope)
  return tonumber(string.sub(envelope, 3, 3))
end

-- A body that makes no sense counts as one of default priority, so that it does not stop its neighbours.
local function priority_of(envelope)
  return written_priority(envelope) or DEFAULT_PRIORITY
end

local function outcome_of(envelope)
  return string.sub(envelope, 2, 2)
end

local function with_outcome(envelope, outcome)
  return string.sub(envelope, 1, 1) .. outcome .. string.sub(envelope, 3)
end

local function nonce_of(envelope)
  return string.sub(envelope, 5, 12)
end

-- Nothing if the message leaves it to its consumer.
local function max_attempts_of(envelope)
  return tonumber(string.match(envelope, '^%d*', LIMITS_AT))
end

-- Newer versions begin with a later digit or a capital letter.
local function is_newer(envelope)
  local version = string.byte(envelope)
  return version and version > ENVELOPE_VERSION and (version <= 57 or version >= 65 and version <= 90)
end
