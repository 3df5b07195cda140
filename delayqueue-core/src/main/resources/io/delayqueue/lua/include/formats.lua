-- The formats that these scripts write: the first byte of an envelope, the digit 1; and the field format of meta.
local ENVELOPE_VERSION = 49
local META_FORMAT = 1
