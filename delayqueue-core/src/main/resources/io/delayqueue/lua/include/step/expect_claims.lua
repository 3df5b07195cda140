-- Agrees with other consumers on who claims when. Of those that wait for the same message, one comes when it is due, and the others rely
-- on that: they come later. The field EXPECTED of meta lists them: 'µs:consumer,…', the first claim first.
-- A step of claim.lua.
-- Others rely on a claim for this long at most: a message is that late if the consumer that was to claim it has died.
local RELY_US = 900000
-- A consumer whose claim is later than that is taken for dead.
local MOST_LATE_US = 20000
-- Further claims are not listed; their consumers come all the same.
local MOST_LISTED = 32
local next_at, expected_at = now + wait, nil

-- Claims of others that may still come. A consumer whose time has been over for longer has died.
local others, times = {}, {}
for claim, at, consumer in string.gmatch(listed, '((%d+):([^,]*))') do
  if consumer ~= me and tonumber(at) >= now - MOST_LATE_US then
    others[#others + 1] = claim
    times[#times + 1] = tonumber(at)
  end
end
local is_covered = times[1] and times[1] <= next_at
-- even if the next message is due later than that, where others would come later still
local relies = channel ~= '' and not paused and wait >= 0 and (wait <= RELY_US or times[1] and not is_covered)

-- One that took as much as it could can take more by the time of a later claim.
if relies and (#ids < slots or is_covered and slots > 0) then
  expected_at = next_at
  if is_covered then
    -- for the first message that none of them comes for; a claim takes what is due soon, too
    local taken_until = math.max(next_at, times[#times]) + (tonumber(ARGV[10]) > 0 and early or 0)
    local after = redis.call('ZRANGEBYSCORE', scheduled(DEFAULT_PRIORITY), '(' .. digits(taken_until), '+inf', 'WITHSCORES',
      'LIMIT', 0, 1)
    local after_due = tonumber(after[2] or math.huge)
    -- Behind a message that has a head start, others may be due that this consumer can read.
    local latest = math.min(next_at, first_due) + RELY_US
    -- All come for the end of a lease: of the suspects that it may leave, each process takes one.
    expected_at = math.max(next_at, math.min(after_due + head_start(after[1], after_due), latest, held_from))
  end
end
expected_wait = expected_at and expected_at - now or -1

-- Writes.
local place = 1
while expected_at and times[place] and times[place] <= expected_at do
  place = place + 1
end
if expected_at then
  table.insert(others, place, digits(expected_at) .. ':' .. me)
end
local list = table.concat(others, ',', 1, math.min(#others, MOST_LISTED))
if list ~= listed then
  redis.call('HDEL', meta, EXPECTED)
  if list ~= '' then
    redis.call('HSET', meta, EXPECTED, list)
  end
end

-- This consumer can take no more, and the others would come too late.
if relies and times[1] and not is_covered and not expected_at then
  wake_up(channel, wait)
end
