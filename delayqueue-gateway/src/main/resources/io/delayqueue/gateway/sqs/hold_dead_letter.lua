-- PURPOSE  Begins, prolongs, changes or ends the hold of a receive on a dead letter. A command that comes late, behind those of the client
--          or after the end of its hold, touches neither a longer hold nor that of another receive.
-- KEYS     1 string: the receive, and when its hold ends in µs
-- ARGV     1 receive; 2 what to do: begin, prolong (never makes it shorter), change, or end; 3 ms from now, 1 or more; any number for end
-- RETURNS  1, or 0 if another receive holds the dead letter or, but for begin, none, and nothing changed
-- COST     O(1); 4 commands
-- CALLER   DeadHolds
local receive, action, hold_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
local value = redis.call('GET', KEYS[1])
local holder, ends_us = string.match(value or '', '^(.*):(%d+)$')
if action == 'begin' then
    if value then
        return 0
    end
elseif holder ~= receive then
    return 0
end
if action == 'end' then
    redis.call('DEL', KEYS[1])
    return 1
end

local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]
if action == 'prolong' then
    hold_ms = math.max(hold_ms, math.ceil((tonumber(ends_us) - now_us) / 1000))
end
-- Deleted first, so that a full Redis lets it pass: what follows may delete the dead letter.
redis.call('DEL', KEYS[1])
local until_us = string.format('%.0f', now_us + hold_ms * 1000)
redis.call('SET', KEYS[1], receive .. ':' .. until_us, 'PX', string.format('%.0f', hold_ms))
return 1
