-- PURPOSE  Leases due messages to a consumer, or first ends leases that expired. Messages in a newer version of the envelope
--          are deferred: consumers that know it shall claim them.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9, 17 suspects
-- ARGV     1 consumer; 2 number of this claim, growing, the same when it is repeated; 3 slots: most messages (0..512);
--          4 lease µs; 5 most attempts of messages that name no number; 6 dead letter retention µs, 0 for no tidying up;
--          7 most bytes to return; 8 1 if this number was sent before without an answer, else 0;
--          9 early µs: messages due that soon are leased too, unless one of another priority is due by then; 10 most of those;
--          11 prefetch: most messages in addition to 3, under the same condition (with 3 up to 512);
--          12 1 if a suspect may be among the messages, else 0; 13 latest µs at which this claim ends leases, 0 for any;
--          14 command and channel for wake-ups, or empty: then consumers don't rely on one another
-- RETURNS  {now µs; µs until the next message is due or the next lease expires, -1 if none is pending or leased; 1 if paused; receipt;
--          {id, due µs, envelope, …}; {failed attempts of each, …}, empty if none has any; {expired id, …};
--          {id whose lease expired, …}; {dead-lettered id, attempts, …}; orphans cleaned up; partition count;
--          messages deferred; with 6 only: messages that are neither scheduled, leased nor dead; dead letters older than 6;
--          µs until a suspect is due that this claim did not take, -1 if there is none; which message is a suspect, 0 if none is;
--          µs until the claim of this consumer that others rely on, -1 if they rely on none}
--          error STALE: a later claim of this consumer has been answered
-- COST     O(n log m) for n messages, m pending; 13 commands when it claims up to 16 messages, and 1 for each 16 more (for
--          each one if the partition ever had large bodies), 1 if any message of the partition has failed;
--          up to 19 for tidying up; 6 commands when it claims none; up to 5 for each other priority in use, 3 for suspects;
--          up to 3 if a message is due within 0.9 s, and PUBLISH if this consumer can't take it and nobody else is to claim it;
--          if messages were ever deferred, one more for each priority, and one if a message is due within 0.9 s
-- CALLER   ConsumerOperations.claim
--@include keys
--@include numbers
--@include priority_keys
--@include envelope_format
--@include orphans
--@include attempts
--@include lease_kinds
--@include recorded_leases
--@include wake_up
local KIND = 'claim'
--@include recorded_call
local slots, lease, default_attempts, retention = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local most_bytes, repeated = tonumber(ARGV[7]), ARGV[8] == '1'
local early, early_left, prefetch = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local may_take_suspect, ends_leases_until, channel = ARGV[12] == '1', tonumber(ARGV[13]), ARGV[14]

-- How much later this consumer wakes up for a message of a newer version. Its own consumers wake up at its due time and claim it.
local HEAD_START_US = 250000
-- Expired leases ended by one call: each costs commands of its own.
local MOST_EXPIRED = 64
-- With more fields than that, meta is searched for consumers that ended.
local MANY_FIELDS = 100

--@include now
-- who is to claim when, see step/expect_claims. Versions that claim different messages can't rely on one another
local EXPECTED = 'expected' .. string.char(ENVELOPE_VERSION)
local state = redis.call('HMGET', meta, 'paused', 'priorities', call_field, 'partitions', 'deferred', 'large', EXPECTED)
local paused, in_use, recorded, ever_deferred, has_large = state[1], state[2] or '', state[3], state[5], state[6]
-- ids of consumers differ in their last part
local listed, me = state[7] or '', string.match(ARGV[1], '[^:]*$')
local ids, claimed, failed, expired, lease_expired, dead_lettered, orphans = {}, {}, {}, {}, {}, {}, {}
local selected, emptied, deferred, deferred_count, unscheduled, past_retention = {}, {}, {}, 0, 0, 0
-- suspect: its number among the claimed messages; latest_due: of those claimed early; held_from: no lease ends before
local suspect_wait, suspect, latest_due, held_from = -1, 0, nil, now
-- others go on to rely on this consumer if this call ends before the time of its next claim is known
local expected_wait = string.find(listed .. ',', ':' .. me .. ',', 1, true) and 0 or -1

local function answer(wait, receipt)
  return { now, wait, paused and 1 or 0, receipt, claimed, failed, expired, lease_expired, dead_lettered, #orphans,
    tonumber(state[4] or 1), deferred_count, unscheduled, past_retention, suspect_wait, suspect, expected_wait }
end

-- Most partitions have no message that failed.
local function count_failed(claimed_ids)
  if #claimed_ids > 0 and redis.call('HLEN', attempts) > 0 then
    local suspicion
    for i, value in ipairs(redis.call('HMGET', attempts, unpack(claimed_ids))) do
      failed[i], suspicion = read_attempts(value)
      suspect = suspicion >= SUSPECT_FROM and i or suspect
    end
  end
end

-- A claim without messages is recorded too if it is a repeated one: the first sending may still arrive, and must not claim.
-- Deleted first, so that a full Redis lets it pass.
local function record_claim(receipt)
  redis.call('HDEL', meta, call_field)
  record_call(receipt, (latest_due and digits(latest_due) or '') .. ':' .. digits(lease) .. earlier_receipts(recorded, held_from))
end

local function clean_up_orphans()
  if #orphans > 0 then
    redis.call('HDEL', attempts, unpack(orphans))
    count_orphans(#orphans)
  end
end

-- The receipt names this claim: no other lease may share it.
local function new_receipt()
  local receipt = deadline_of_kind(CLAIMED, now + lease)
  while #ids > 0 and redis.call('ZCOUNT', leased, digits(receipt), digits(receipt)) > 0 do
    receipt = deadline_of_kind(CLAIMED, receipt + 1)
  end
  return receipt
end

local function lease_selected(receipt)
  local members, deadline = {}, digits(receipt)
  for i = 1, #ids do
    members[2 * i - 1] = deadline
    members[2 * i] = ids[i]
  end
  redis.call('ZADD', leased, unpack(members))
end

local function remove_emptied_priorities()
  redis.call('HDEL', meta, 'priorities')
  for _, mark in ipairs(emptied) do
    in_use = string.gsub(in_use, mark, '')
  end
  if in_use ~= '' then
    redis.call('HSET', meta, 'priorities', in_use)
  end
end

-- µs by which this consumer comes later for a message than it is due. A newer version's consumers shall be first at theirs, or it
-- would be deferred time and again.
local function head_start(id, due)
  local gives_way = id and (ever_deferred or deferred_count > 0) and due > now
    and is_newer(redis.call('HGET', messages, id) or '')
  return gives_way and HEAD_START_US or 0
end

-- µs until the next message is due or the next lease expires, -1 if there are none; and when the first message is due, without
-- head start.
local function wait_for_next(receipt)
  local next_at, first_due = #ids > 0 and math.min(held_from, receipt) or held_from, math.huge
  for priority = 0, paused and -1 or HIGHEST_PRIORITY do
    if priority == DEFAULT_PRIORITY or string.find(in_use, priority, 1, true) then
      local head = redis.call('ZRANGE', scheduled(priority), 0, 0, 'WITHSCORES')
      local due = tonumber(head[2] or math.huge)
      first_due = math.min(first_due, due)
      next_at = math.min(next_at, due + head_start(head[1], due))
    end
  end
  return next_at == math.huge and -1 or math.max(0, next_at - now), first_due
end

-- 1. The same call once more, or a new one.
local refusal, recorded_receipt, recorded_latest_due = compare_call(recorded)
if refusal then
  return refusal
elseif recorded_receipt then
  --@include step/claim_the_same
  return answer(0, tonumber(recorded_receipt))
end

-- 2. Expired leases come before anything else, and are all that this call does. A claim that was held up on its way ends none: Redis
-- was silent, and behind it are settlements of messages whose leases expired meanwhile.
local held_up = ends_leases_until > 0 and now > ends_leases_until
local overdue = held_up and {}
  or redis.call('ZRANGEBYSCORE', leased, '-inf', digits(now), 'WITHSCORES', 'LIMIT', 0, MOST_EXPIRED)
if #overdue > 0 then
  --@include step/end_expired_leases
  return answer(0, 0)
end

-- 3. Tidying up, when the consumer asks for it.
if retention > 0 then
  --@include step/tidy_up
  if redis.call('HLEN', meta) > MANY_FIELDS then
    --@include step/forget_ended_consumers
  end
end

-- 4. Selection of due messages. Reads only.
if not paused then
  --@include step/select_messages
end
local first_lease = redis.call('ZRANGE', leased, 0, 0, 'WITHSCORES')[2]
held_from = first_lease and tonumber(first_lease) or math.huge
local receipt = new_receipt()
count_failed(ids)

-- 5. The claim itself. Writes only; each group begins with a deletion or follows one, so that a full Redis lets it pass.
for _, of in ipairs(selected) do
  redis.call('ZREMRANGEBYRANK', of[1], 0, of[2] - 1)
end
if deferred_count > 0 then
  for priority, members in pairs(deferred) do
    redis.call('ZADD', scheduled(priority), unpack(members))
  end
  redis.call('HINCRBY', meta, 'deferred', deferred_count)
end
if #emptied > 0 then
  remove_emptied_priorities()
end
if #ids > 0 then
  lease_selected(receipt)
end
if #ids > 0 or repeated then
  record_claim(receipt)
end
if #expired > 0 then
  redis.call('HDEL', messages, unpack(expired))
  redis.call('HDEL', attempts, unpack(expired))
  redis.call('HINCRBY', meta, 'expired', #expired)
end
clean_up_orphans()

-- 6. The time of the next claim.
local wait, first_due = wait_for_next(receipt)
--@include step/expect_claims
return answer(wait, receipt)
