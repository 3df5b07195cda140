-- Messages that ended for good: only grows, and an older dump that brings some of them back has fewer.
local function ended_of(acked, cancelled, purged)
  return tonumber(acked or 0) + tonumber(cancelled or 0) + tonumber(purged or 0)
end
