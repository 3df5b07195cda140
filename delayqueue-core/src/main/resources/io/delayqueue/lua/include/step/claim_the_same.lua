-- The reply of the recorded call was lost: the messages that it leased are still this consumer's, until the lease expires.
-- Their due time is lost; they were due then, or as much later as the claim was early.
-- A step of claim.lua.
local again, expires_at = {}, tonumber(recorded_receipt)
local claimed_at = expires_at - lease
local held = expires_at > now and redis.call('ZRANGEBYSCORE', leased, recorded_receipt, recorded_receipt) or {}
for _, id in ipairs(held) do
  local envelope = redis.call('HGET', messages, id)
  if envelope then
    again[#again + 1] = id
    claimed[#claimed + 1] = id
    claimed[#claimed + 1] = early > 0 and claimed_at + early or math.min(now, claimed_at)
    claimed[#claimed + 1] = envelope
  end
end
count_failed(again)
