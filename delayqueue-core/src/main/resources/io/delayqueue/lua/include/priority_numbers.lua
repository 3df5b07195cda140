local DEFAULT_PRIORITY, HIGHEST_PRIORITY = 4, 9
-- Suspects are kept apart, as if this were their priority.
local SUSPECT_PRIORITY = 10
-- The field priorities of meta lists the priorities in use, a digit for each; this letter stands for the suspects.
local SUSPECTS_MARK = 's'
