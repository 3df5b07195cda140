-- PURPOSE  Leases due messages to a consumer, or first ends leases that expired. Messages in a newer version of the envelope
--          are deferred: consumers that know it shall claim them.
-- KEYS     1 meta, 2 messages, 3 leased, 4 attempts, 5 dead, 6 dead:errors, 7..16 scheduled of priority 0..9
-- ARGV     1 consumer; 2 number of this claim, growing, the same when it is repeated; 3 slots: most messages (0..512);
--          4 lease µs; 5 most attempts of messages that name no number; 6 dead letter retention µs, 0 for no tidying up;
--          7 most bytes to return; 8 1 if this number was sent before without an answer, else 0;
--          9 early µs: messages due that soon are leased too, unless other priorities are in use; 10 most of those;
--          11 prefetch: most messages in addition to 3, unless other priorities are in use (with 3 up to 512)
-- RETURNS  {now µs; µs until this consumer should claim again, -1 if no message is pending or leased; 1 if paused; receipt;
--          {id, due µs, envelope, …}; {failed attempts of each, …}, empty if none has any; {expired id, …};
--          {id whose lease expired, …}; {dead-lettered id, attempts, …}; orphans cleaned up; partition count;
--          messages deferred; messages that are neither scheduled, leased nor dead, counted with 6 only}
--          error STALE: a later claim of this consumer has been answered
-- COST     O(n log m) for n messages, m pending; 13 commands when it claims up to 16 messages, 1 more beyond, and 1 for each 16 more,
--          1 if any message of the partition has failed;
--          12 for tidying up; 6 commands when it claims none; up to 5 for each other priority in use, and one more for each priority
--          if messages were ever deferred
-- CALLER   RedisMessageStore.claim
--@include keys
--@include numbers
--@include server_time
--@include envelope
--@include recorded_call
--@include scheduling
--@include dead_lettering
--@include orphans
local slots, lease, default_attempts, retention = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local most_bytes, repeated = tonumber(ARGV[7]), ARGV[8] == '1'
local early, early_left, prefetch = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])

-- How long a message of a newer version is out of the way. Its own consumers claim it in that time.
local DEFER_US = 5000000
-- This consumer wakes up that much later than those for whom a message of a newer version is, or it would defer it again.
local HEAD_START_US = 250000
-- Expired leases ended by one call: each costs three commands of its own.
local MOST_EXPIRED = 64
-- Dead letters purged by one call, so that it stays short.
local MOST_PURGED = 100
-- Bodies read by one command. Few, as those read beyond the most bytes were read in vain.
local CHUNK = 16
-- Consumers whose last claim is older are forgotten, once meta has more fields than that.
local MANY_FIELDS, FORGOTTEN_AFTER_US, MOST_FORGOTTEN = 100, 3600000000, 1000
-- Batches up to this size are leased as fast without the placeholder.
local SMALL_BATCH = 16
-- No id: no UTF-8. And longer than any member that Redis keeps in a sorted set in one block of memory.
local PLACEHOLDER = string.rep('\255', 65)
local REASON = 'lease expired: the consumer crashed, stalled or lost its connection'

local now = server_time()
local state = redis.call('HMGET', meta, 'paused', 'priorities', call_field('claim'), 'partitions', 'deferred')
local paused, recorded, count, ever_deferred = state[1], state[3], tonumber(state[4] or 1), state[5]
priorities = state[2] or ''
priorities_before = priorities
local ids, claimed, failed, expired, lease_expired, dead_lettered, orphans = {}, {}, {}, {}, {}, {}, {}
local deferred, deferred_count, unscheduled = {}, 0, 0
local selected, emptied = {}, {}

local function answer(wait, receipt)
  return { now, wait, paused and 1 or 0, receipt, claimed, failed, expired, lease_expired, dead_lettered, #orphans, count,
    deferred_count, unscheduled }
end

-- A claim without messages is recorded too if it is a repeated one: the first sending may still arrive, and must not claim.
-- Deleted first, so that a full Redis lets it pass.
local function record_claim(receipt)
  redis.call('HDEL', meta, call_field('claim'))
  record_call('claim', receipt)
end

-- Most partitions have no message that failed.
local function count_failed(of)
  if #of > 0 and redis.call('HLEN', attempts) > 0 then
    local counts = redis.call('HMGET', attempts, unpack(of))
    for i = 1, #of do
      failed[i] = tonumber(counts[i] or 0)
    end
  end
end

local function clean_up_orphans()
  if #orphans > 0 then
    redis.call('HDEL', attempts, unpack(orphans))
    count_orphans(#orphans)
  end
end

-- The reply of the recorded call was lost: the messages that it leased are still this consumer's, until the lease expires.
-- Their due time is lost; they were due then, or as much later as the claim was early.
local function claim_the_same(receipt)
  local again, claimed_at = {}, tonumber(receipt) - lease
  local held = tonumber(receipt) > now and redis.call('ZRANGEBYSCORE', leased, receipt, receipt) or {}
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
end

-- Consumers that ended without a word leave their recorded calls behind.
local function forget_ended_consumers()
  if redis.call('HLEN', meta) <= MANY_FIELDS then
    return
  end
  local forgotten, fields = {}, redis.call('HGETALL', meta)
  for i = 1, #fields, 2 do
    local at = string.find(fields[i], ':', 1, true) and string.match(fields[i + 1], '^%d+:(%d+)')
    if at and tonumber(at) < now - FORGOTTEN_AFTER_US then
      forgotten[#forgotten + 1] = fields[i]
    end
  end
  if #forgotten > 0 then
    redis.call('HDEL', meta, unpack(forgotten, 1, math.min(#forgotten, MOST_FORGOTTEN)))
  end
end

-- An expired lease counts as an attempt; another follows, or the message is dead-lettered. Its due time is the lease's end.
local function end_expired_leases(overdue)
  local ended, counts, bytes = {}, {}, 0
  for i = 1, #overdue, 2 do
    local id, deadline = overdue[i], overdue[i + 1]
    local envelope = redis.call('HGET', messages, id)
    ended[#ended + 1] = id
    if not envelope then
      orphans[#orphans + 1] = id
    else
      bytes = bytes + #envelope
      local priority = priority_of(envelope)
      local made = tonumber(redis.call('HGET', attempts, id) or 0) + 1
      counts[#counts + 1] = id
      counts[#counts + 1] = made
      if made >= (max_attempts_of(envelope) or default_attempts) and not is_newer(envelope) then
        dead_lettered[#dead_lettered + 1] = id
        dead_lettered[#dead_lettered + 1] = made
        dead_letter_later(id, priority, REASON, now)
      else
        lease_expired[#lease_expired + 1] = id
        schedule_later(priority, deadline, id)
      end
    end
    if bytes > most_bytes then
      break
    end
  end
  redis.call('ZREM', leased, unpack(ended))
  if #counts > 0 then
    redis.call('HSET', attempts, unpack(counts))
  end
  write_scheduled()
  if #lease_expired > 0 then
    redis.call('HINCRBY', meta, 'retried', #lease_expired)
  end
  write_dead_letters()
  clean_up_orphans()
  if repeated then
    record_claim(0)
  end
end

local function purge_old_dead_letters()
  local old = redis.call('ZRANGEBYSCORE', dead, '-inf', digits(now - retention), 'LIMIT', 0, MOST_PURGED)
  if #old > 0 then
    redis.call('ZREM', dead, unpack(old))
    redis.call('HDEL', messages, unpack(old))
    redis.call('HDEL', errors, unpack(old))
    redis.call('HDEL', attempts, unpack(old))
    redis.call('HINCRBY', meta, 'purged', #old)
  end
end

local function count_unscheduled()
  local without_place = redis.call('HLEN', messages) - redis.call('ZCARD', leased) - redis.call('ZCARD', dead)
  for priority = 0, 9 do
    without_place = without_place - redis.call('ZCARD', scheduled(priority))
  end
  unscheduled = math.max(0, without_place)
end

-- A due message is claimed, deferred, expired, or an orphan: each is taken out of its sorted set.
local function select_message(id, due, envelope, priority)
  if not envelope then
    orphans[#orphans + 1] = id
    return
  end
  local version, _, _, limited = string.byte(envelope, 1, 4)
  local time_to_live = limited == HAS_TIME_TO_LIVE and tonumber(string.match(envelope, '^%d*,(%d+)', LIMITS_AT))
  if version ~= ENVELOPE_VERSION and is_newer(envelope) then
    deferred[priority] = deferred[priority] or {}
    table.insert(deferred[priority], digits(now + DEFER_US))
    table.insert(deferred[priority], id)
    deferred_count = deferred_count + 1
  elseif time_to_live and now >= due + time_to_live then
    expired[#expired + 1] = id
  else
    local n = #ids + 1
    ids[n] = id
    claimed[3 * n - 2] = id
    claimed[3 * n - 1] = due
    claimed[3 * n] = envelope
  end
end

-- A message may be claimed before it is due, but not one of a newer version: its own consumers must find it in its place.
local function may_be_early(envelope)
  if early_left == 0 or envelope and is_newer(envelope) then
    return false
  end
  early_left = early_left - 1
  return true
end

-- Large bodies: read no more of them than may be returned, as far as that can be guessed from those just read.
local function next_chunk(read, bodies, bytes)
  return math.max(1, math.min(CHUNK, math.ceil((most_bytes - bytes) / (read / bodies))))
end

-- Goes through the messages of a priority that are due until the horizon. Returns how many were selected, and their bytes.
local function select_of(priority, horizon, limit, bytes)
  local key, limit_reached = scheduled(priority), false
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', digits(horizon), 'WITHSCORES', 'LIMIT', 0, limit)
  local found, done, chunk = #due / 2, 0, CHUNK
  if found == 0 and priority ~= DEFAULT_PRIORITY and redis.call('ZCARD', key) == 0 then
    emptied[#emptied + 1] = priority
  end
  while done < found and bytes < most_bytes and not limit_reached do
    local wanted, read = {}, 0
    for i = done + 1, math.min(done + chunk, found) do
      wanted[#wanted + 1] = due[2 * i - 1]
    end
    local envelopes = redis.call('HMGET', messages, unpack(wanted))
    for i = 1, #wanted do
      local envelope, at, before = envelopes[i], tonumber(due[2 * done + 2]), #ids
      if at > now and not may_be_early(envelope) then
        limit_reached = true
        break
      end
      select_message(wanted[i], at, envelope, priority)
      done = done + 1
      if envelope then
        read = read + #envelope
        bytes = #ids > before and bytes + #envelope or bytes
      end
      if bytes >= most_bytes then
        break
      end
    end
    if read > 0 then
      chunk = next_chunk(read, #wanted, bytes)
    end
  end
  if done > 0 then
    selected[#selected + 1] = { key, done }
  end
  return done, bytes
end

-- Highest priority first, as far as number and bytes allow. Early claims and prefetch would let a message of low priority
-- pass one of high priority that falls due a moment later.
local function select_due()
  if priorities == '' then
    select_of(DEFAULT_PRIORITY, early_left > 0 and now + early or now, slots + prefetch, 0)
    return
  end
  local left, bytes, done = slots, 0, 0
  for priority = 9, 0, -1 do
    if left > 0 and bytes < most_bytes and (priority == DEFAULT_PRIORITY or string.find(priorities, priority, 1, true)) then
      done, bytes = select_of(priority, now, left, bytes)
      left = left - done
    end
  end
end

-- The receipt names this claim: no other lease may share it. It is odd, and those of extend are even.
local function new_receipt()
  local receipt = now + lease
  receipt = receipt + 1 - receipt % 2
  if #ids > 0 then
    while redis.call('ZCOUNT', leased, digits(receipt), digits(receipt)) > 0 do
      receipt = receipt + 2
    end
  end
  return receipt
end

local function unschedule_selected()
  for _, of in ipairs(selected) do
    redis.call('ZREMRANGEBYRANK', of[1], 0, of[2] - 1)
  end
end

local function put_off_deferred()
  for priority, members in pairs(deferred) do
    redis.call('ZADD', scheduled(priority), unpack(members))
  end
  if deferred_count > 0 then
    redis.call('HINCRBY', meta, 'deferred', deferred_count)
  end
end

-- Deleted first, so that a full Redis lets it pass.
local function drop_emptied_priorities()
  if #emptied > 0 then
    redis.call('HDEL', meta, 'priorities')
    for _, priority in ipairs(emptied) do
      priorities = string.gsub(priorities, priority, '')
    end
    if priorities ~= '' then
      redis.call('HSET', meta, 'priorities', priorities)
    end
  end
end

-- The set is filled from empty again and again. Kept in one block of memory, it would be searched from its start for each id;
-- the placeholder makes Redis keep it as a skip list.
local function lease_selected(receipt)
  local members, deadline, n = {}, digits(receipt), 0
  if #ids > SMALL_BATCH then
    members[1], members[2], n = deadline, PLACEHOLDER, 2
  end
  for i = 1, #ids do
    members[n + 1] = deadline
    members[n + 2] = ids[i]
    n = n + 2
  end
  redis.call('ZADD', leased, unpack(members))
  if #ids > SMALL_BATCH then
    redis.call('ZREM', leased, PLACEHOLDER)
  end
end

local function drop_expired()
  if #expired > 0 then
    redis.call('HDEL', messages, unpack(expired))
    redis.call('HDEL', attempts, unpack(expired))
    redis.call('HINCRBY', meta, 'expired', #expired)
  end
end

-- A newer version's consumers shall be first at its message, or it would be deferred time and again.
local function wake_up_time(id, due)
  local may_be_newer = ever_deferred or deferred_count > 0
  if may_be_newer and due > now and is_newer(redis.call('HGET', messages, id) or '') then
    return due + HEAD_START_US
  end
  return due
end

-- µs until the next message is due or the next lease expires, -1 if there are none.
local function wait_for_next()
  local first_lease = redis.call('ZRANGE', leased, 0, 0, 'WITHSCORES')[2]
  local next_at = first_lease and tonumber(first_lease) or math.huge
  for priority = 0, paused and -1 or 9 do
    if priority == DEFAULT_PRIORITY or string.find(priorities, priority, 1, true) then
      local head = redis.call('ZRANGE', scheduled(priority), 0, 0, 'WITHSCORES')
      if head[1] then
        next_at = math.min(next_at, wake_up_time(head[1], tonumber(head[2])))
      end
    end
  end
  return next_at == math.huge and -1 or math.max(0, next_at - now)
end

-- 1. The same call once more, or a new one.
local refusal, recorded_receipt = compare_call('claim', recorded)
if refusal then
  return refusal
elseif recorded_receipt then
  claim_the_same(recorded_receipt)
  return answer(0, tonumber(recorded_receipt))
elseif not recorded then
  forget_ended_consumers()
end

-- 2. Expired leases come before anything else, and are all that this call does.
local overdue = redis.call('ZRANGEBYSCORE', leased, '-inf', digits(now), 'WITHSCORES', 'LIMIT', 0, MOST_EXPIRED)
if #overdue > 0 then
  end_expired_leases(overdue)
  return answer(0, 0)
end

-- 3. Tidying up, when the consumer asks for it.
if retention > 0 then
  purge_old_dead_letters()
  count_unscheduled()
end

-- 4. Reads: the messages that are due.
if not paused then
  select_due()
end
local receipt = new_receipt()
count_failed(ids)

-- 5. Writes. Each function begins with a deletion or follows one, so that a full Redis lets it pass.
unschedule_selected()
put_off_deferred()
drop_emptied_priorities()
if #ids > 0 then
  lease_selected(receipt)
end
if #ids > 0 or repeated then
  record_claim(receipt)
end
drop_expired()
clean_up_orphans()

-- 6. When to come again.
return answer(wait_for_next(), receipt)
