-- An epoch belongs to one server: another one may lack the last writes of the one before. Needs meta and now.
local epoch_server = redis.pcall('INFO', 'replication')
epoch_server = type(epoch_server) == 'string' and string.match(epoch_server, 'master_replid:(%w+)') or ''

local function began_elsewhere(epoch, server)
  return epoch and epoch ~= '' and epoch_server ~= '' and server ~= epoch_server
end

-- Begins an epoch, and keeps how the former one ended, before anything is sent in the new one. A deletion first, so that a full Redis
-- does not refuse it.
local function begin_epoch(former, sent, ended, nonce)
  local epoch = digits(now) .. ':' .. nonce
  local before = (former or '') ~= '' and former .. ' ' .. digits(sent) .. ' ' .. digits(ended) or ''
  redis.call('HDEL', meta, 'before')
  redis.call('HSET', meta, 'epoch', epoch, 'server', epoch_server, 'before', before)
  return epoch, before
end
