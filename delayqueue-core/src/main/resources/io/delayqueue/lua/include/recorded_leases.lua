-- A consumer's recorded calls also tell which leases it holds, as far as leases are told apart by their deadlines: no further
-- command is needed for that. Of a claim: 'number:receipt:latest due:lease µs:receipts of earlier claims'. Of an extend:
-- 'number:µs::deadline-since,…', since being the µs of the claim, or nothing. Receipts and deadlines are newest first.
-- Few, as each claim writes them: more claims than a consumer of quick handlers has in flight.
local MOST_EARLIER_RECEIPTS = 15
-- More than a consumer usually has messages in flight. Slow handlers are of interest, and an extend writes them once in many seconds.
local MOST_DEADLINES = 64

-- The receipts of the claims before, if their messages may be leased still: no lease ends before the time.
local function earlier_receipts(recorded, held_from)
  local before, earlier = string.match(recorded or '', '^%d+:(%d+):%d*:%d+:?([%d,]*)$')
  local kept = {}
  for receipt in string.gmatch(before and before .. ',' .. earlier or '', '%d+') do
    if tonumber(receipt) >= held_from and #kept < MOST_EARLIER_RECEIPTS then
      kept[#kept + 1] = receipt
    end
  end
  return #kept > 0 and ':' .. table.concat(kept, ',') or ''
end

-- Adds to new entries 'deadline-since' those of the extends before whose leases may last still.
local function with_earlier_deadlines(entries, recorded, now)
  for entry, deadline in string.gmatch(string.match(recorded or '', '::(.*)$') or '', '((%d+)-%d*)') do
    if tonumber(deadline) > now and #entries < MOST_DEADLINES then
      entries[#entries + 1] = entry
    end
  end
  return table.concat(entries, ',', 1, math.min(#entries, MOST_DEADLINES))
end
