-- PURPOSE  Tells which dead letters of a page are held, in one call.
-- KEYS     1..n string: the hold of a dead letter, all of one topic
-- ARGV     none
-- RETURNS  a text with one character for each key: 1 if the dead letter is held, else 0
-- COST     O(n), n at most 512; n commands
-- CALLER   DeadHolds
local held = {}
for i, key in ipairs(KEYS) do
    held[i] = redis.call('GET', key) and 1 or 0
end
return table.concat(held)
