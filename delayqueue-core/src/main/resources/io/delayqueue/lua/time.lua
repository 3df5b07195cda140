-- PURPOSE  Tells the time of the server that has the partition, with as little work around it as possible.
-- KEYS     1 meta
-- ARGV     none
-- RETURNS  now µs
-- COST     O(1); 1 command
-- CALLER   ConsumerOperations.time, AnyServersTime.ask
--@include now
return now
