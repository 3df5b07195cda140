-- The reply of the recorded call was lost: the messages that it leased are still this consumer's, until the lease expires.
-- Their due times are lost. Each was due at the time of the claim, or by the latest time that was recorded with an early one.
-- A step of claim.lua.
local again, expires_at = {}, tonumber(recorded_receipt)
local due = tonumber(recorded_latest_due) or math.min(now, expires_at - lease)
local held = expires_at > now and redis.call('ZRANGEBYSCORE', leased, recorded_receipt, recorded_receipt) or {}
for _, id in ipairs(held) do
  local envelope = redis.call('HGET', messages, id)
  if envelope then
    again[#again + 1] = id
    claimed[#claimed + 1] = id
    claimed[#claimed + 1] = due
    claimed[#claimed + 1] = envelope
  end
end
count_failed(again)
