-- PURPOSE  Tells the epoch and counters of a partition. Begins another epoch if the caller wants that, or if this is not the server on
--          which the present one began: changes of the outbox that were read before are refused then.
-- KEYS     1 meta
-- ARGV     1 epoch that the caller found and wants to end, or empty for none, or - to end none; 2 nonce of a new one
-- RETURNS  {epoch after that, or empty; changes sent so far; messages ended so far; the former epoch and its counters when it ended,
--          apart by blanks, or empty}; another call may have begun an epoch meanwhile
-- COST     O(1), 2 to 4 commands, with INFO beside them
-- CALLER   OutboxOperations.epoch
--@include keys
--@include numbers
--@include now
--@include server_epoch
--@include ended
local known = redis.call('HMGET', meta, 'epoch', 'sent', 'server', 'before', 'acked', 'cancelled', 'purged')
local epoch, sent, before = known[1] or '', tonumber(known[2] or 0), known[4] or ''
local ended = ended_of(known[5], known[6], known[7])
if epoch == ARGV[1] or began_elsewhere(epoch, known[3]) then
  epoch, before = begin_epoch(epoch, sent, ended, ARGV[2])
end
return { epoch, sent, ended, before }
