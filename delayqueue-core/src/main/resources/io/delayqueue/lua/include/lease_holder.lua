-- Whether a receipt holds a lease. It does if it is the deadline of the lease. An extend can change the deadline and keep the receipt:
-- then the message's entry in the hash attempts is 'attempts made:suspicion:receipt:deadline', and counts while the deadline is the
-- present one. The scripts that end an attempt overwrite or delete the entry. Only a receipt that is not the deadline costs a command.
--@include keys
local function holds(id, receipt, deadline)
  local ends = tonumber(deadline or -1)
  if ends == receipt or not deadline then
    return ends == receipt
  end
  local kept, present = string.match(redis.call('HGET', attempts, id) or '', ':(%d+):(%d+)$')
  return kept and tonumber(kept) == receipt and tonumber(present) == ends
end
