-- PURPOSE  Returns leased messages unhandled: due as before, no attempt counted.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 command and channel for wake-ups, or empty; then for each message: id, receipt, due µs, priority
--          (10 for a suspect)
-- RETURNS  a digit for each message: 1 done, 0 its lease was lost (or this is a repeated call) and nothing changed
-- COST     O(n log m) for n messages, m pending; 1 command for each receipt that is not the deadline of its lease
-- CALLER   ConsumerOperations.release
--@include keys
--@include lease_holder
--@include scheduling
--@include wake_up
local ids = {}
for i = 2, #ARGV, 4 do
  ids[#ids + 1] = ARGV[i]
end
local deadlines = redis.call('ZMSCORE', leased, unpack(ids))
local outcomes, held = {}, {}
for i, id in ipairs(ids) do
  local receipt, due, priority = ARGV[4 * i - 1], ARGV[4 * i], tonumber(ARGV[4 * i + 1])
  if holds(id, tonumber(receipt), deadlines[i]) then
    outcomes[i] = '1'
    held[#held + 1] = id
    schedule_later(priority, due, id)
  else
    outcomes[i] = '0'
  end
end
outcomes = table.concat(outcomes)
if #held == 0 then
  return outcomes
end

redis.call('ZREM', leased, unpack(held))
write_scheduled()
wake_up(ARGV[1], 0)
return outcomes
