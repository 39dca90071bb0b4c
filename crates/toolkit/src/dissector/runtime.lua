-- How a table is walked. The same as crates/protocol/src/field_table/walk.rs; tests compare the two on every golden vector.

local proto = Proto("rtype_" .. dialect.name, "R-Type " .. dialect.name .. " (" .. dialect.document .. ")")
local prefix = "rtype." .. dialect.name .. "."

local makers = {
  u8 = ProtoField.uint8, u16 = ProtoField.uint16, u24 = ProtoField.uint24, u32 = ProtoField.uint32, u64 = ProtoField.uint64,
  i16 = ProtoField.int16, i64 = ProtoField.int64,
}
local pf = {}
local all_fields = {}

local function new_field(name, field)
  local made
  if field.shape == "f32" then
    if field.unit then
      made = ProtoField.float(prefix .. name, field.label, base.UNIT_STRING, { " " .. field.unit }, field.about)
    else
      made = ProtoField.float(prefix .. name, field.label, field.about)
    end
  elseif field.shape == "text" then
    made = ProtoField.string(prefix .. name, field.label, base.UNICODE, field.about)
  elseif field.shape == "bytes" then
    made = ProtoField.bytes(prefix .. name, field.label, base.NONE, field.about)
  elseif field.names and field.shape ~= "u64" then
    made = makers[field.shape](prefix .. name, field.label, base.DEC, field.names, field.mask, field.about)
  elseif field.unit and not field.mask then
    made = makers[field.shape](prefix .. name, field.label, base.UNIT_STRING, { " " .. field.unit }, nil, field.about)
  else
    made = makers[field.shape](prefix .. name, field.label, base.DEC, nil, field.mask, field.about)
  end
  pf[name] = made
  all_fields[#all_fields + 1] = made
end
for name, field in pairs(dialect.fields) do new_field(name, field) end

local pf_message = ProtoField.string(prefix .. "message", "Message", base.UNICODE, "what the message is")
local pf_sender = ProtoField.string(prefix .. "sender", "Sender", base.UNICODE, "who says it: client or server")
local pf_ruling = ProtoField.string(prefix .. "violation", "Violation", base.UNICODE, "the ruling or clause that is broken")
local pf_request = ProtoField.framenum(prefix .. "request_in", "Request in", base.NONE, frametype.REQUEST, 0, "the frame that this answers")
local pf_answer = ProtoField.framenum(prefix .. "answer_in", "Answer in", base.NONE, frametype.RESPONSE, 0, "the frame that answers this")
local pf_time = ProtoField.relative_time(prefix .. "answer_time", "Time from request to answer", "how long the answer took")
for _, field in ipairs({ pf_message, pf_sender, pf_ruling, pf_request, pf_answer, pf_time }) do
  all_fields[#all_fields + 1] = field
end
proto.fields = all_fields

local ef_malformed = ProtoExpert.new(prefix .. "malformed", "Malformed: nobody can read on", expert.group.MALFORMED, expert.severity.ERROR)
local ef_odd = ProtoExpert.new(prefix .. "odd", "Odd: not what a ruling expects", expert.group.PROTOCOL, expert.severity.WARN)
proto.experts = { ef_malformed, ef_odd }

-- ---- Texts ----

-- The code points of a UTF-8 string, or nil if it is none.
local function points(text)
  local list, at = {}, 1
  while at <= #text do
    local first = text:byte(at)
    local count, least, value
    if first < 0x80 then count, least, value = 0, 0, first
    elseif first >= 0xc2 and first < 0xe0 then count, least, value = 1, 0x80, first - 0xc0
    elseif first >= 0xe0 and first < 0xf0 then count, least, value = 2, 0x800, first - 0xe0
    elseif first >= 0xf0 and first < 0xf5 then count, least, value = 3, 0x10000, first - 0xf0
    else return nil end
    for index = 1, count do
      local byte = text:byte(at + index)
      if not byte or byte < 0x80 or byte > 0xbf then return nil end
      value = value * 64 + (byte - 0x80)
    end
    if value < least or value > 0x10ffff or (value >= 0xd800 and value <= 0xdfff) then return nil end
    list[#list + 1] = { value = value, from = at, to = at + count }
    at = at + count + 1
  end
  return list
end

local function is_control(value) return value < 0x20 or (value >= 0x7f and value < 0xa0) end

local spaces = { [0x20] = true, [0x85] = true, [0xa0] = true, [0x1680] = true, [0x2028] = true, [0x2029] = true, [0x202f] = true, [0x205f] = true, [0x3000] = true }
local function is_space(value)
  return spaces[value] or (value >= 9 and value <= 13) or (value >= 0x2000 and value <= 0x200a)
end

local function trimmed(text, list)
  local first, last = 1, #list
  while first <= last and is_space(list[first].value) do first = first + 1 end
  while last >= first and is_space(list[last].value) do last = last - 1 end
  if first > last then return "", {} end
  local kept = {}
  for index = first, last do kept[#kept + 1] = list[index] end
  return text:sub(list[first].from, list[last].to), kept
end

local function has_control(list)
  for _, point in ipairs(list) do
    if is_control(point.value) then return true end
  end
  return false
end

local function without_zeros(text) return (text:gsub("%z+$", "")) end

-- What the bytes of a text say, or nil and how they are malformed.
local rules = {}
function rules.utf8(text) if points(text) then return text end return nil, "BadText" end
function rules.visible(text, max)
  local list = points(text)
  if list and #text <= max and not has_control(list) then return text end
  return nil, "BadText"
end
function rules.trimmed(text, max)
  local list = points(text)
  if not list then return nil, "BadText" end
  local inner, kept = trimmed(text, list)
  if #inner == #text and #text <= max and not has_control(kept) then return text end
  return nil, "BadText"
end
function rules.username(text, max)
  local length = text:byte(1)
  if length and length < 0x20 and length == #text - 1 then text = text:sub(2) end
  text = without_zeros(text)
  local list = points(text)
  if not list then return nil, "BadText" end
  local inner, kept = trimmed(text, list)
  if #inner <= max and not has_control(kept) then return inner end
  return nil, "BadText"
end
function rules.nul_ended(text, max)
  if text:sub(-1) ~= "\0" then return nil, "Short" end
  text = text:sub(1, -2)
  if points(text) and #text <= max and not text:find("%z") then return text end
  return nil, "BadText"
end
function rules.loose(text) return text end
function rules.loose_not_empty(text)
  if text == "" or text == "\0" then return nil, "BadText" end
  return text
end
function rules.padded_name(text)
  local name = without_zeros(text)
  if name:find("^[%w%-_%.]+$") then return name end
  return nil, "BadText"
end
function rules.lobby_code(text)
  if text:find("^[!-~]*$") then return text end
  return nil, "BadText"
end
function rules.lobby_code_or_none(text)
  if text:find("^%z*$") then return "none" end
  return rules.lobby_code(text)
end
function rules.dialect_name(text, max)
  local name, fault = rules.trimmed(text, max)
  if not name then return nil, fault end
  if dialect.dialects[name] then return name end
  return nil, "BadValue"
end

-- ---- The walk ----

local sizes = { u8 = 1, u16 = 2, u32 = 4, u64 = 8, i16 = 2, i64 = 8, f32 = 4 }
local little = dialect.order == "little"

local walk_items

local function fault(w, malformed, at, item, ruling)
  local clause = item and item.clause or w.clause
  error({ malformed = malformed, at = at, label = item and item.label, ruling = ruling or (item and item.ruling) or "", clause = clause or "" }, 0)
end

local function number_of(range, shape)
  if shape == "u64" then return range:uint64():tonumber() end
  if shape == "i64" then return 0 end
  if shape == "i16" then return 0 end
  return range:uint()
end

local function number_le(range, shape)
  if shape == "u64" then return range:le_uint64():tonumber() end
  if shape == "i64" or shape == "i16" then return 0 end
  return range:le_uint()
end

-- Whether a number is odd; a fault if it is forbidden.
local function check(w, item, number, float, cursor, at)
  local kind = item.check and item.check[1]
  if not kind then return false end
  local good, malformed = true, "BadValue"
  if kind == "expected" then return number < item.check[2] or number > item.check[3]
  elseif kind == "expected_named" then return dialect.fields[item.field].names[number] == nil
  elseif kind == "named" then good, malformed = dialect.fields[item.field].names[number] ~= nil, item.check[2]
  elseif kind == "range" then good = (number >= item.check[2] and number <= item.check[3]) or number == item.check[4]
  elseif kind == "is" then good = number == item.check[2]
  elseif kind == "finite" then good = float == float and float ~= math.huge and float ~= -math.huge
  elseif kind == "whole_size" then good, malformed = number == w.length, "WrongSize"
  elseif kind == "rest_size" then good, malformed = number == cursor.stop - cursor.at - item.check[2], "WrongSize"
  end
  if not good then fault(w, malformed, at, item) end
  return false
end

-- How much it tells that a value passed its check, in bits.
local function evidence(w, item, odd, size, float, text)
  local kind = item.check and item.check[1]
  local bits = 8 * size
  if kind == "named" or kind == "range" then w.bits = w.bits + bits - 2
  elseif kind == "is" or kind == "whole_size" or kind == "rest_size" then w.bits = w.bits + bits
  elseif kind == "expected" or kind == "expected_named" then w.bits = w.bits + (odd and -4 or 2)
  elseif float then
    local size = math.abs(float)
    w.bits = w.bits + ((float == 0 or (size >= 0.01 and size < 20000)) and 3 or -4)
  elseif text then w.bits = w.bits + #text
  end
end

local function add_odd(w, node, item)
  node:add_proto_expert_info(ef_odd, item.label .. " is not what " .. item.ruling .. " expects")
  w.root:add(pf_ruling, item.ruling):set_generated()
end

local function show(w, item, range, at, size, text)
  if not w.tree then return nil end
  local field = pf[item.field]
  if size == 0 then return w.tree:add(field, text or "") end
  if text then return w.tree:add(field, range, text) end
  if little and item.shape ~= "bytes" then return w.tree:add_le(field, range) end
  return w.tree:add(field, range)
end

local function size_of(w, item, cursor)
  local left = cursor.stop - cursor.at
  local fixed = sizes[item.shape]
  if fixed then return fixed <= left and fixed or nil end
  local size = left
  local length = item.length
  if length[1] == "rest_but" then size = left - length[2]
  elseif length[1] == "fixed" then size = length[2]
  elseif length[1] == "of" then size = w.kept[length[2]] or 0
  end
  return size >= 0 and size <= left and size or nil
end

local function walk_value(w, item, cursor)
  local at = cursor.at
  local size = size_of(w, item, cursor)
  if not size then fault(w, "Short", at, item) end
  local range = size > 0 and w.tvb(at, size) or nil
  local number, float, text = 0, nil, nil
  if item.shape == "text" then
    local raw = range and range:raw() or ""
    local value, malformed = rules[item.rule[1]](raw, item.rule[2])
    if not value then fault(w, malformed, at, item) end
    text = value
  elseif item.shape == "f32" then
    float = little and range:le_float() or range:float()
  elseif item.shape ~= "bytes" then
    number = little and number_le(range, item.shape) or number_of(range, item.shape)
  end
  cursor.at = at + size
  local odd = check(w, item, number, float, cursor, at)
  evidence(w, item, odd, sizes[item.shape] or 0, float, text)
  if item.kept then w.kept[item.field] = number end
  if item.learned then w.learning[#w.learning + 1] = text end
  if w.keys[item.field] then
    w.values[item.field] = item.shape == "u64" and tostring(little and range:le_uint64() or range:uint64()) or tostring(number)
  end
  local node = show(w, item, range, at, size, text)
  if odd and node then add_odd(w, node, item) end
  return number
end

local function walk_bits(w, item, cursor)
  local at = cursor.at
  if cursor.stop - at < item.bytes then fault(w, "Short", cursor.stop) end
  local range = w.tvb(at, item.bytes)
  cursor.at = at + item.bytes
  w.kept[item.whole] = range:uint()
  for _, part in ipairs(item.parts) do
    local number = range:bitfield(part.first, part.count)
    local odd = check(w, part, number, nil, cursor, at)
    evidence(w, part, odd, part.count / 8)
    if w.keys[part.field] then w.values[part.field] = tostring(number) end
    if w.tree then
      local node = w.tree:add(pf[part.field], range)
      if odd then add_odd(w, node, part) end
    end
  end
end

-- Items in a subtree of their own.
local function walk_under(w, label, items, cursor)
  local around, start = w.tree, cursor.at
  if around then
    local left = cursor.stop - cursor.at
    w.tree = around:add(left > 0 and w.tvb(cursor.at, left) or w.tvb(math.max(cursor.at - 1, 0), 1), label)
  end
  local ok, why = pcall(walk_items, w, items, cursor)
  if around then
    w.tree:set_len(math.max(cursor.at - start, 0))
    w.tree = around
  end
  if not ok then error(why, 0) end
end

local function walk_case(w, case, cursor)
  local around = w.clause
  if case.clause ~= "" then w.clause = case.clause end
  if not w.title then w.title = case.name end
  w.bits = w.bits + 5
  if #case.items > 0 then walk_under(w, case.name, case.items, cursor) end
  w.clause = around
end

local function walk_whole(w, items, start, stop)
  local cursor = { at = start, stop = stop }
  walk_items(w, items, cursor)
  if cursor.at ~= stop then fault(w, "Trailing", cursor.at) end
end

local function walk_group(w, group, index, cursor)
  if index == 0 and not w.title then w.title = group.name end
  walk_under(w, group.name .. " " .. index, group.items, cursor)
end

local function attempt(w, items, start, stop)
  local trial = { tvb = w.tvb, length = w.length, kept = w.kept, learning = {}, names = w.names, keys = {}, values = {}, bits = 0, clause = w.clause, is_trial = true }
  local ok, why = pcall(walk_whole, trial, items, start, stop)
  if ok then return nil end
  if type(why) ~= "table" then error(why, 0) end
  return why
end

local walkers = {}
function walkers.value(w, item, cursor) walk_value(w, item, cursor) end
function walkers.bits(w, item, cursor) walk_bits(w, item, cursor) end
function walkers.at_least(w, item)
  if w.length < item.bytes then fault(w, item.fault, w.length, nil, item.ruling) end
end
function walkers.at_most(w, item)
  if w.length > item.bytes then fault(w, "WrongSize", item.bytes, nil, item.ruling) end
end
function walkers.product_max(w, item, cursor)
  if w.kept[item.first] * w.kept[item.second] + item.more > item.bytes then fault(w, "WrongSize", cursor.at) end
end
function walkers.sized(w, item, cursor)
  local start = cursor.at
  local size = walk_value(w, item.size, cursor)
  local left = cursor.stop - cursor.at
  if size > left then fault(w, "Short", start, item.size) end
  if item.is_last and size < left then fault(w, "Trailing", start, item.size) end
  local stop = cursor.at + size
  local ok, why = pcall(walk_whole, w, item.items, cursor.at, stop)
  cursor.at = stop
  if not ok then
    if item.fault and type(why) == "table" then fault(w, item.fault, start, item.size) end
    error(why, 0)
  end
end
function walkers.times(w, item, cursor)
  local count, index = w.kept[item.count], 0
  while index < count do
    local before = cursor.at
    walk_group(w, item.each, index, cursor)
    if cursor.at == before then break end
    index = index + 1
  end
end
function walkers.repeated(w, item, cursor)
  local index = 0
  while cursor.at < cursor.stop do
    local before = cursor.at
    walk_group(w, item.each, index, cursor)
    if cursor.at == before then break end
    index = index + 1
  end
end
function walkers.choice(w, item, cursor)
  local case = item.cases[w.kept[item.on] or 0]
  if case then return walk_case(w, case, cursor) end
  if item.otherwise then return walk_items(w, item.otherwise, cursor) end
  fault(w, "UnknownType", cursor.at, nil, item.ruling)
end
function walkers.lookup(w, item, cursor)
  local names = w.names or item.unlearned
  local case = item.cases[names[w.kept[item.on] + 1] or ""]
  if case then return walk_case(w, case, cursor) end
  fault(w, "UnknownType", cursor.at, nil, item.ruling)
end
function walkers.named(w, item, cursor) walk_case(w, item.case, cursor) end
function walkers.optional(w, item, cursor)
  if cursor.at < cursor.stop then walk_items(w, item.items, cursor) end
end
function walkers.all(w, item, cursor) walk_items(w, item.items, cursor) end
function walkers.either(w, item, cursor)
  local why = attempt(w, item.first, cursor.at, cursor.stop)
  -- The first is blamed only if it can be read as neither.
  local is_first = not why or (why.at >= cursor.at + item.meant_from and attempt(w, item.second, cursor.at, cursor.stop) ~= nil)
  walk_whole(w, is_first and item.first or item.second, cursor.at, cursor.stop)
  cursor.at = cursor.stop
end
function walkers.learn(w)
  if not w.is_trial then w.learned = w.learning end
end

walk_items = function(w, items, cursor)
  for _, item in ipairs(items) do walkers[item.kind](w, item, cursor) end
end

-- Walks a whole message. Returns what was found, and why it is malformed if it is.
local function walk(tvb, items, names, tree, root)
  local keys = { lobby_port = true }
  for _, pairing in ipairs(dialect.pairings) do
    for _, key in ipairs({ pairing.request, pairing.answer }) do
      keys[key.on] = true
      for _, name in ipairs(key.fields) do keys[name] = true end
    end
  end
  local w = { tvb = tvb, length = tvb:len(), kept = {}, learning = {}, names = names, keys = keys, values = {}, bits = 0, clause = "", tree = tree, root = root }
  local ok, why = pcall(walk_whole, w, items, 0, tvb:len())
  if ok then return w, nil end
  if type(why) ~= "table" then error(why, 0) end
  return w, why
end

-- ---- Sessions ----

local learned, servers, requests, answered, answers = {}, {}, {}, {}, {}
function proto.init() learned, servers, requests, answered, answers = {}, {}, {}, {}, {} end

local function ends(pinfo)
  local one = tostring(pinfo.src) .. ":" .. pinfo.src_port
  local other = tostring(pinfo.dst) .. ":" .. pinfo.dst_port
  return one < other and one .. "-" .. other or other .. "-" .. one, one, other
end

local is_port = {}

-- Who speaks: by the port, by what was recognised before, or by what can be read.
local function sender_of(pinfo, tvb, channel)
  local key, from = ends(pinfo)
  if servers[key] then return servers[key] == from and "server" or "client" end
  if is_port[pinfo.dst_port] then return "client" end
  if is_port[pinfo.src_port] then return "server" end
  local items = dialect.client[channel]
  if items then
    local _, why = walk(tvb, items, learned[key])
    if not why then return "client" end
  end
  return "server"
end

local texts = {
  Runt = "it is shorter than any packet", Trailing = "there are bytes behind its end",
  UnknownType = "no such type, from this side", Short = "it ends too early", WrongSize = "a size is wrong",
  BadValue = "a value is not allowed", BadText = "a text is not allowed",
}

local function add_fault(w, root, tvb, why)
  local reference = why.clause
  if why.ruling ~= "" and not (", " .. reference .. ","):find(", " .. why.ruling .. ",", 1, true) then
    reference = (reference ~= "" and reference .. ", " or "") .. why.ruling
  end
  local text = (why.label and why.label .. ": " or "") .. texts[why.malformed] .. (reference ~= "" and " [" .. reference .. "]" or "")
  root:add_proto_expert_info(ef_malformed, text)
  root:add(pf_ruling, why.malformed .. (why.ruling ~= "" and " " .. why.ruling or "")):set_generated()
end

local function matches(key, values)
  local value = values[key.on]
  if not value or (tonumber(value) == key.value) == key.is_other then return nil end
  local parts = {}
  for _, name in ipairs(key.fields) do
    if not values[name] then return nil end
    parts[#parts + 1] = values[name]
  end
  return table.concat(parts, ",")
end

-- Links an answer with its request.
local function link(w, root, pinfo, sender, place)
  local conversation = ends(pinfo)
  for index, pairing in ipairs(dialect.pairings) do
    local answer = matches(pairing.answer, w.values)
    local other = sender == "client" and "server" or "client"
    if answer then
      local key = conversation .. "|" .. index .. "|" .. other .. "|" .. answer
      if not pinfo.visited and requests[key] then
        answered[place] = requests[key]
        answers[requests[key].place] = { frame = pinfo.number }
      end
    end
    local request = matches(pairing.request, w.values)
    if request and not pinfo.visited then
      local key = conversation .. "|" .. index .. "|" .. sender .. "|" .. request
      if not requests[key] then requests[key] = { frame = pinfo.number, time = pinfo.rel_ts, place = place } end
    end
  end
  if answered[place] then
    root:add(pf_request, answered[place].frame):set_generated()
    local seconds = pinfo.rel_ts - answered[place].time
    local whole = math.floor(seconds)
    root:add(pf_time, NSTime(whole, math.floor((seconds - whole) * 1000000000 + 0.5))):set_generated()
  end
  if answers[place] then root:add(pf_answer, answers[place].frame):set_generated() end
end

-- Lobbies that have ports of their own are found there from now on.
local doors = {}
local function open_door(w)
  local port = tonumber(w.values.lobby_port or "0")
  if port == 0 or doors[port] then return end
  doors[port] = true
  is_port[port] = true
  DissectorTable.get("udp.port"):add(port, proto)
end

-- Whether the column of the packet says something already.
local is_begun = false

local function dissect_message(tvb, pinfo, tree, sender, channel, place)
  local key = ends(pinfo)
  local root = tree:add(proto, tvb())
  local items = dialect[sender][channel]
  root:add(pf_sender, sender):set_generated()
  if not items then
    root:add_proto_expert_info(ef_malformed, "nothing is said here by the " .. sender)
    return
  end
  local w, why = walk(tvb, items, learned[key], root, root)
  if w.learned and not why then learned[key] = w.learned end
  local title = why and (w.title and w.title .. ", malformed" or "malformed") or w.title or dialect.untitled[sender]
  root:append_text(", " .. title)
  root:add(pf_message, title):set_generated()
  pinfo.cols.info:append((is_begun and "; " or "") .. sender .. ": " .. title)
  is_begun = true
  if why then add_fault(w, root, tvb, why) end
  if not why then link(w, root, pinfo, sender, place) end
  if not why then open_door(w) end
end

-- The size of each datagram, if several that were sent at once were captured before the system cut them apart: all but the last have the
-- same size.
local function segment_size(tvb, items, names)
  local longest = math.min(tvb:len() - 1, 1472)
  for size = 1, longest do
    local at, good = 0, true
    while good and at < tvb:len() do
      local part = tvb:range(at, math.min(size, tvb:len() - at)):tvb()
      local _, why = walk(part, items, names)
      good = not why
      at = at + size
    end
    if good then return size end
  end
  return nil
end

local function dissect_datagram(tvb, pinfo, tree)
  local sender = sender_of(pinfo, tvb, "datagram")
  local items = dialect[sender].datagram
  local names = learned[(ends(pinfo))]
  local _, why = walk(tvb, items, names)
  local size = why and segment_size(tvb, items, names)
  if not size then return dissect_message(tvb, pinfo, tree, sender, "datagram", tostring(pinfo.number)) end
  local at, count = 0, 0
  while at < tvb:len() do
    count = count + 1
    local part = tvb:range(at, math.min(size, tvb:len() - at)):tvb()
    dissect_message(part, pinfo, tree, sender, "datagram", pinfo.number .. "." .. count)
    at = at + size
  end
end

-- A frame may hold several messages, each of which comes here.
local function begin(pinfo)
  local name = "R-Type " .. dialect.name
  if tostring(pinfo.cols.protocol) == name then return end
  pinfo.cols.protocol:set(name)
  pinfo.cols.info:set("")
  is_begun = false
end

function proto.dissector(tvb, pinfo, tree)
  begin(pinfo)
  if pinfo.port_type ~= 2 then
    dissect_datagram(tvb, pinfo, tree)
    return tvb:len()
  end
  local framing, count = dialect.framing, 0
  if not framing then return 0 end
  local sender = sender_of(pinfo, tvb, "stream")
  local max = sender == "client" and framing.client_max or framing.server_max
  local function length(buffer, _, offset)
    local size = buffer(offset + framing.size_at, framing.size_bytes)
    local number
    if framing.size_bytes == 8 then number = (little and size:le_uint64() or size:uint64()):tonumber()
    else number = little and size:le_uint() or size:uint() end
    -- After a wrong size the next message cannot be found: the rest is one that is malformed.
    if number < framing.least or number > max then return buffer:len() - offset end
    return number + framing.head_bytes
  end
  dissect_tcp_pdus(tvb, tree, framing.size_at + framing.size_bytes, length, function(message)
    count = count + 1
    dissect_message(message:range():tvb(), pinfo, tree, sender, "stream", pinfo.number .. "." .. count)
    return message:len()
  end)
  return tvb:len()
end

-- ---- Ports, and recognising by content ----

proto.prefs.ports = Pref.range("Ports", tostring(dialect.port), "The ports of servers that speak " .. dialect.name, 65535)
if dialect.is_recognised then
  proto.prefs.heuristic = Pref.bool("Recognise by content", true, "Look for " .. dialect.name .. " at other ports too")
end

-- What dissects at these ports, in which table.
local at_ports = {}
for _, name in ipairs(dialect.tables) do at_ports[#at_ports + 1] = { table = name, dissector = proto } end

local added
local function add_ports()
  local ports = tostring(proto.prefs.ports)
  if ports == added then return end
  for _, place in ipairs(at_ports) do
    local table = DissectorTable.get(place.table)
    if added and added ~= "" then table:remove(added, place.dissector) end
    if ports ~= "" then table:add(ports, place.dissector) end
  end
  for port in pairs(is_port) do is_port[port] = doors[port] end
  for part in ports:gmatch("[^,]+") do
    local from, to = part:match("^(%d+)%-?(%d*)$")
    for port = tonumber(from) or 0, tonumber(to) or tonumber(from) or -1 do is_port[port] = true end
  end
  added = ports
end
function proto.prefs_changed() add_ports() end
if #at_ports > 0 then add_ports() end

-- Bits of evidence that make a datagram one of ours.
local enough_bits = 28

local function recognise(tvb, pinfo, tree)
  if not proto.prefs.heuristic or tvb:len() == 0 then return false end
  local best, bits = nil, enough_bits
  for _, sender in ipairs({ "client", "server" }) do
    local items = dialect[sender].datagram
    if items then
      local w, why = walk(tvb, items, nil)
      if not why and w.bits >= bits then best, bits = sender, w.bits end
    end
  end
  if not best then return false end
  local key, from, to = ends(pinfo)
  servers[key] = best == "server" and from or to
  pinfo.conversation = proto
  proto.dissector(tvb, pinfo, tree)
  return true
end
if dialect.is_recognised then proto:register_heuristic("udp", recognise) end
