# Payload on stdin -> one line for the audit file: {"at", "event", "bytes", "payload"}.
#
# Copied as they are: numbers, true, false, null, and the fields in COPIED. Copied with secrets masked: MASKED.
# Of everything else (contents, edits, prompts, outputs, tool inputs, e-mail, and any field that is not known here)
# only the size is written. Strings are cut at 2,000 bytes. A payload is read from quote to quote, so that megabytes take
# little time and no memory; past 4 MB it is left.

BEGIN {
  RS = "\""; LONGEST = 2000; ENOUGH = 4000000
  COPIED = " hook_event_name conversation_id generation_id session_id parent_conversation_id subagent_id tool_call_id" \
    " tool_use_id model model_id cursor_version workspace_roots transcript_path file_path cwd tool_name" \
    " mcp_server_name subagent_type subagent_model git_branch status reason final_status failure_type trigger" \
    " composer_mode "
  MASKED = " command url mcp_server_url "
  depth = 0; inside = 0; bytes = 0; size = 0; count = 0; broken = 0; awaits = "start"
}

{
  bytes += length($0) + 1
  if (bytes > ENOUGH) { large = 1; exit }
  if (!inside) { outside($0); text = ""; inside = 1; next }
  if (keeps()) text = text $0
  else size += length($0)
  # A quote behind an odd number of backslashes belongs to the string.
  if (match($0, /\\+$/) && RLENGTH % 2) { if (keeps()) text = text "\""; else size++; next }
  inside = 0
  if (depth == 0) broken = 1
  else if (depth > 1) { if (keeps()) raw = raw "\"" text "\""; size += length(text) + 2 }
  else if (awaits == "key") { key = text; awaits = "colon"; raw = ""; size = 0 }
  else if (awaits == "value") { field(key, "string", text, size + length(text)); awaits = "comma" }
  else broken = 1
}

END {
  # The last piece is always outside: a string that is open here has no end.
  if (!large && (!inside || depth != 0 || awaits != "end")) broken = 1
  if (event !~ /^[A-Za-z]+$/ || length(event) > 40) event = ""
  print "{\"at\":\"" at "\",\"event\":" (event == "" ? "null" : "\"" event "\"") ",\"bytes\":" (large ? "\"more than 4000000\"" : bytes ? bytes - 1 : 0) \
    (broken ? ",\"payload\":\"[unreadable]\"}" : ",\"payload\":{" fields "}}")
}

function outside(text,    k, c) {
  for (k = 1; k <= length(text); k++) {
    c = substr(text, k, 1)
    if (c ~ /[ \t\r\n]/) continue
    if (c == "{" || c == "[") {
      if (++depth == 1) { if (c == "[" || awaits != "start") broken = 1; awaits = "key"; continue }
      if (depth == 2 && awaits != "value") broken = 1
    }
    if (c == "}" || c == "]") {
      if (--depth == 0) { literal(); awaits = "end"; continue }
      if (depth == 1) { raw = keeps() ? raw c : raw; field(key, "object", raw, size + 1); raw = ""; awaits = "comma"; continue }
    }
    if (depth == 1 && c == ":") { if (awaits != "colon") broken = 1; awaits = "value"; continue }
    if (depth == 1 && c == ",") { literal(); if (awaits != "comma") broken = 1; awaits = "key"; continue }
    if (depth < 1) { broken = 1; continue }
    if (depth == 1 ? length(raw) < 64 : keeps()) raw = raw c
    size++
  }
}

# Only what will be written is collected.
function keeps() {
  if (awaits != "value") return length(text) < 200
  return index(COPIED MASKED, " " key " ") && length(text) + length(raw) < 100000
}

function literal() {
  if (awaits == "value" && raw != "") { field(key, "literal", raw, size); awaits = "comma" }
  else if (raw != "") broken = 1
  raw = ""
}

function field(name, kind, value, length_,    out) {
  if (name == "hook_event_name" && kind == "string") event = value
  if (++count > 200 || name !~ /^[A-Za-z0-9_]+$/ || length(name) > 60) return
  out = "\"[" length_ " bytes]\""
  if (kind == "literal") out = value ~ /^(true|false|null|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)$/ ? value : "\"[unreadable]\""
  else if (kind == "string" && index(COPIED, " " name " ")) out = "\"" cut(value) "\""
  else if (kind == "string" && index(MASKED, " " name " ")) out = "\"" cut(masked(value)) "\""
  else if (name == "workspace_roots" && value ~ /^\[("[^"\\]*",?)*\]$/ && value !~ /,\]/ && length(value) < LONGEST) out = value
  fields = fields (fields == "" ? "" : ",") "\"" name "\":" out
}

# A string as it stands in JSON, not longer than it may be, and never ended inside an escape.
function cut(text,    rest) {
  rest = text
  gsub(/\\(["\\\/bfnrt]|u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F])/, "", rest)
  if (rest ~ /[\\\001-\037]/) return "[unreadable]"
  if (length(text) <= LONGEST) return text
  rest = substr(text, 1, LONGEST)
  if (match(rest, /\\[^\\]*$/) && RSTART > LONGEST - 6) rest = substr(rest, 1, RSTART - 1)
  if (match(rest, /\\+$/) && RLENGTH % 2) rest = substr(rest, 1, length(rest) - 1)
  sub(/[\200-\377]+$/, "", rest)
  return rest "[cut]"
}

# One simple pattern at a time: not every awk is right about long ones.
function masked(text,    names, count, k) {
  count = split("passphrase password passwd pass secret token api_key api-key apikey access_key access-key private_key" \
    " private-key credential pwd auth cookie x-key", names, " ")
  for (k = 1; k <= count; k++) text = without_values(text, names[k] "[a-z0-9_-]*[=: \t]+[\\\\]?[\"']?")
  text = without_values(text, "bearer[ \t]+")
  text = without_values(text, "basic[ \t]+")
  text = without_values(text, ":\\/\\/[^ \t\\/@\"'\\\\]*:")
  text = without_values(text, "-u[ \t]*[\\\\]?[\"']?[a-z0-9._-]+:")
  count = split("gh[a-z]_ github_pat_ glpat- sk- sk_live_ rk_live_ xox[a-z]- npm_ hf_ akia asia aiza eyj", names, " ")
  for (k = 1; k <= count; k++) text = without(text, names[k] "[a-z0-9_.\\/+=-]+")
  return without(text, "-----begin[^-]*private key-----.*")
}

# What stands behind each match of the pattern is a secret: up to its quote, or the end of the word.
function without_values(text, pattern,    low, out, quote, length_) {
  out = ""; low = tolower(text)
  while (match(low, pattern)) {
    out = out substr(text, 1, RSTART + RLENGTH - 1)
    text = substr(text, RSTART + RLENGTH); low = substr(low, RSTART + RLENGTH)
    quote = substr(out, length(out))
    match(low, /^(bearer[ \t]+|basic[ \t]+|token[ \t]+)?[^ \t"'&;|,)@\\]*/)
    length_ = RLENGTH
    if (quote ~ /["']/ && index(low, quote) > 1) length_ = index(low, quote) - (quote == "\"" ? 2 : 1)
    if (substr(low, 1, 8) == "[secret]") length_ = 8
    if (length_ > 0) { out = out "[secret]"; text = substr(text, length_ + 1); low = substr(low, length_ + 1) }
  }
  return out text
}
function without(text, pattern,    low, out) {
  out = ""; low = tolower(text)
  while (match(low, pattern)) {
    out = out substr(text, 1, RSTART - 1) "[secret]"
    text = substr(text, RSTART + RLENGTH); low = substr(low, RSTART + RLENGTH)
  }
  return out text
}
