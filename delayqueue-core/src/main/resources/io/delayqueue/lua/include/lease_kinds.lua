-- The kind of a lease is in its deadline, which is its receipt too: the remainder of a division by 4. So no claim has the receipt
-- of an extend, and the end of an expired lease can tell how far its message had come when its consumer died.
-- CLAIMED: as a claim left it; no handler is known to have begun. EXTENDED: its handler has begun, or its consumer keeps it waiting.
-- ALONE: a suspect whose handler began while no other handler of its process ran, until its first renewal or the begin of another
-- handler. The fourth remainder is free.
local EXTENDED, CLAIMED, ALONE = 0, 1, 2

local function lease_kind(deadline)
  return deadline % 4
end

-- The first deadline of a kind that is not before the time.
local function deadline_of_kind(kind, time)
  return time + (kind - time) % 4
end
