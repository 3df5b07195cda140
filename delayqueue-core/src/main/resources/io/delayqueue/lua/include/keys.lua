-- The keys of the partition. Scripts that take fewer keys use those that they take.
local meta, messages, leased, attempts, dead, errors = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
