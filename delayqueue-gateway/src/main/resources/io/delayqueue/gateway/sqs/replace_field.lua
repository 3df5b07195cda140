-- PURPOSE  Replaces a field of a hash that is as it was read: two clients that change a queue at once lose nothing.
-- KEYS     1 hash
-- ARGV     1 field; 2 its value as it was read, behind '=', or '-' if it was absent; 3 its new value
-- RETURNS  1, or 0 if the field has another value by now and nothing changed
-- COST     O(1); 2 commands
-- CALLER   QueueStore.update
local value = redis.call('HGET', KEYS[1], ARGV[1])
local present = value and '=' .. value or '-'
if present ~= ARGV[2] then
    return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
