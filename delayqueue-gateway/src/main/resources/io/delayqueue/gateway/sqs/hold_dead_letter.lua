-- PURPOSE  Begins, changes or ends the hold of a receive on a dead letter. Commands may come in any order: one that comes late touches
--          neither the hold that the client asked for nor that of another receive.
-- KEYS     1 string: the receive, when its hold ends in µs, and "d" while the client has no answer: the hold is the delivery's
-- ARGV     1 receive; 2 what to do; 3 ms from now, 1 or more; any number for end:
--          begin; renew (of the delivery, never shorter); deliver (ends the delivery: the visibility timeout begins, also a shorter one);
--          prolong (never shorter); change (by the client, also shorter); end. Renew and deliver change nothing after deliver, prolong or
--          change
-- RETURNS  1, or 0 if another receive holds the dead letter or, but for begin, none, and nothing changed
-- COST     O(1); 4 commands
-- CALLER   DeadHolds
local receive, action, hold_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
local value = redis.call('GET', KEYS[1])
local holder, ends_us, delivery = string.match(value or '', '^(.*):(%d+)(d?)$')
if action == 'begin' then
    if value then
        return 0
    end
    delivery = 'd'
elseif holder ~= receive then
    return 0
end
if action == 'end' then
    redis.call('DEL', KEYS[1])
    return 1
end
if action == 'renew' or action == 'deliver' then
    if delivery == '' then
        return 1
    end
end

local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]
if action == 'renew' or action == 'prolong' then
    hold_ms = math.max(hold_ms, math.ceil((tonumber(ends_us) - now_us) / 1000))
end
if action ~= 'begin' and action ~= 'renew' then
    delivery = ''
end
-- Deleted first, so that a full Redis lets it pass: what follows may delete the dead letter.
redis.call('DEL', KEYS[1])
local until_us = string.format('%.0f', now_us + hold_ms * 1000)
redis.call('SET', KEYS[1], receive .. ':' .. until_us .. delivery, 'PX', string.format('%.0f', hold_ms))
return 1
