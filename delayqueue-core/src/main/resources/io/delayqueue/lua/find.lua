-- PURPOSE  Looks one message up.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 partition count that the caller assumes; 2 id
-- RETURNS  {now µs; place: S scheduled or ready, L leased, D dead; µs at which it is due, its lease expires, or it was
--          dead-lettered; failed attempts; envelope; error, empty unless it is dead}, or an empty list
--          error PARTITIONS and the partition count: it is not the one that the caller assumes
-- COST     O(1), up to 8 commands; up to 9 more if the envelope is damaged
-- CALLER   RedisMessageStore.find
--@include places
--@include dead_error
--@include attempts
local id = ARGV[2]
local LETTERS = { leased = 'L', dead = 'D' }

local assumed_partitions = ARGV[1]
--@include partition_check

--@include now
local envelope = redis.call('HGET', messages, id)
if not envelope then
  return {}
end
local place, at = place_of(id, envelope)
if not place then
  return {}
end
local failed = read_attempts(redis.call('HGET', attempts, id))
local error_of_dead = place == 'dead' and error_text(redis.call('HGET', errors, id)) or ''
return { now, LETTERS[place] or 'S', tonumber(at), failed, envelope, error_of_dead }
