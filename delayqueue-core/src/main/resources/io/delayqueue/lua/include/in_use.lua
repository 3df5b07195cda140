--@include priority_keys

-- Priorities that may have scheduled messages, the default one first, and SUSPECT_PRIORITY if there may be any.
local function priorities_in_use()
  local others, list = redis.call('HGET', meta, 'priorities') or '', { DEFAULT_PRIORITY }
  for digit in string.gmatch(others, '%d') do
    list[#list + 1] = tonumber(digit)
  end
  if string.find(others, SUSPECTS_MARK, 1, true) then
    list[#list + 1] = SUSPECT_PRIORITY
  end
  return list
end
