-- PURPOSE  Tries each command that the store uses, to report missing permissions at the start of an application.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9,
--          all of a topic whose name no application can use
-- ARGV     1 command and channel for wake-ups, or empty
-- RETURNS  {now µs, 0 if the user may not ask the time; command that the user may not run, …}
-- COST     O(1), 24 commands; leaves nothing behind, unless the user may add and not delete
-- CALLER   ServerInspection.tryCommandsOfScripts
local hash, zset = KEYS[1], KEYS[3]
local trials = {
  { 'hset', hash, 'probe', '0' }, { 'hget', hash, 'probe' }, { 'hmget', hash, 'probe' }, { 'hlen', hash },
  { 'hexists', hash, 'probe' },
  { 'hgetall', hash }, { 'hscan', hash, '0' }, { 'hincrby', hash, 'probe', '0' }, { 'sadd', hash, 'probe' }, { 'smembers', hash },
  { 'srem', hash, 'probe' }, { 'hstrlen', hash, 'probe' },
  { 'hdel', hash, 'probe' },
  { 'zadd', zset, '0', 'probe' }, { 'zscore', zset, 'probe' }, { 'zmscore', zset, 'probe' }, { 'zcard', zset },
  { 'zcount', zset, '0', '0' }, { 'zrange', zset, '0', '0' }, { 'zrevrange', zset, '0', '0' },
  { 'zrangebyscore', zset, '0', '0' }, { 'zremrangebyrank', zset, '0', '0' }, { 'zrem', zset, 'probe' }
}
local publish, channel = string.match(ARGV[1], '^(%u+) (.*)$')
if publish then
  trials[#trials + 1] = { string.lower(publish), channel, '' }
end

-- 6.2 and 7.0 say "The user executing the script can't …", later servers "ACL failure" or NOPERM
local function denied(reply)
  local text = type(reply) == 'table' and reply.err
  return text and (string.find(text, 'NOPERM', 1, true) or string.find(text, 'user executing the script', 1, true)
    or string.find(text, 'ACL failure', 1, true) or string.find(text, 'no permissions', 1, true))
end

local answer = { 0 }
local time = redis.pcall('TIME')
if denied(time) then
  answer[2] = 'time'
else
  answer[1] = time[1] * 1000000 + time[2]
end
local made_hash = false
for _, trial in ipairs(trials) do
  -- those for sets meet a hash: an error that comes after the permission check and changes nothing
  if made_hash or not string.find('sadd smembers srem', trial[1], 1, true) then
    local reply = redis.pcall(unpack(trial))
    if denied(reply) then
      answer[#answer + 1] = trial[1]
    end
    made_hash = made_hash or trial[1] == 'hset' and type(reply) == 'number'
  end
end
return answer
