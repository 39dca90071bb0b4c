-- ---- A link over WebSocket ----

-- The first byte of each message says whether it is a datagram or the next bytes of the stream.
local websocket = Proto("rtype_" .. dialect.name .. "_ws", "R-Type " .. dialect.name .. " over WebSocket")
local waiting = {}
function websocket.init() waiting = {} end

function websocket.dissector(tvb, pinfo, tree)
  begin(pinfo)
  if tvb:len() < 2 then return 0 end
  local sender = is_port[pinfo.src_port] and "server" or "client"
  if tvb(0, 1):uint() == 0 then
    dissect_message(tvb:range(1):tvb(), pinfo, tree, sender, "datagram", tostring(pinfo.number))
    return tvb:len()
  end
  local framing, at, count = dialect.framing, 1, 0
  while tvb:len() - at >= 3 do
    local size = tvb(at, 2):le_uint() + framing.head_bytes
    if size > tvb:len() - at then break end
    count = count + 1
    dissect_message(tvb:range(at, size):tvb(), pinfo, tree, sender, "stream", pinfo.number .. "." .. count)
    at = at + size
  end
  if at < tvb:len() then tree:add(websocket, tvb(at), "a part of a message that goes on in another one") end
  return tvb:len()
end

at_ports = {
  { table = "tcp.port", dissector = Dissector.get("http-over-tcp") },
  { table = "ws.port", dissector = websocket },
}
add_ports()
