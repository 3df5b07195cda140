-- How an envelope begins, as the class Envelope writes it: version, outcome of its schedule, priority, t if it has a time to
-- live, generation, then 'attempts,time to live µs,'. A newer version keeps the first four characters where they are.
local ENVELOPE_VERSION = 49
local HAS_TIME_TO_LIVE, LIMITS_AT = 116, 13

local NINE, CAPITAL_A, CAPITAL_Z = string.byte('9AZ', 1, 3)

-- Newer versions begin with a later digit or a capital letter.
local function is_newer(envelope)
  local version = string.byte(envelope)
  return version and version > ENVELOPE_VERSION and (version <= NINE or version >= CAPITAL_A and version <= CAPITAL_Z)
end
