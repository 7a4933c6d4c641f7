# Reads the text of a shell command; prints every simple command in it, one on a line, as the shell would start it:
#
#   link US name US argument US argument ...        US is the byte 037
#
# link is "|" where the command reads from a pipe, "[" where it may only be a part of a [[ test ]]. name has no folder and no wrapper (sudo, env, xargs ...) before it.
# Commands inside $( ), ` `, <( ), sh -c '...', eval and here-documents for a shell are printed, too.
# The byte 002 stands before what only the shell can know ($x, globs, braces), 003 before a file that is written to,
# 004 before text that is put on stdin. The name 006 means that the text ends inside a quotation or a parenthesis.
# A text is always read to its end: where this reading is not sure, it prints one command too many, never one too few.

BEGIN {
  US = "\037"; MARK = "\002"; OUT = "\003"; IN = "\004"; BROKEN = "\006"; MOST = 2000
  known_options()
}
{ text = NR == 1 ? $0 : text "\n" $0 }
END {
  todo[last = 1] = text
  for (turn = 1; turn <= last && turn <= MOST; turn++) {
    s = todo[turn]; n = length(s); p = 1
    # A ")" that closes nothing ends a command and not the text.
    while (p <= n) list("", "")
  }
  if (last > MOST || printed > MOST) print US BROKEN
}

# Commands up to `stop`, which is ")" or the end. They read from a pipe when the whole list does.
function list(stop, piped,    cmd, word, open, link, c, start, docs, here, k, at, q, depth, outer) {
  link = piped; cmd = word = ""; open = docs = depth = outer = 0
  at["test"] = at["cases"] = at["pattern"] = at["wait"] = 0
  while (p <= n) {
    c = substr(s, p, 1)
    if (c ~ /[A-Za-z0-9_.\/=:,@%+^~\]-]/) {
      start = p++
      while (p <= n && substr(s, p, 1) ~ /[A-Za-z0-9_.\/=:,@%+^~\]-]/) p++
      word = word substr(s, start, p - start); open = 1
    } else if (c == "'" || c == "\"" || c == "\\" || c == "$" || c == "`") {
      if (c == "\\" && substr(s, p + 1, 1) == "\n") { p += 2; continue }
      word = word piece(c); open = 1
    } else if (c == " " || c == "\t" || c == "\r") {
      p++
      if (open) cmd = grown(cmd, whole(word), at)
      word = ""; open = 0
    } else if (c == "#" && !open) {
      while (p <= n && substr(s, p, 1) != "\n") p++
    } else if (at["test"] && c ~ /[()<>!]/) {
      word = word c; open = 1; p++
    } else if ((c == "<" || c == ">") && substr(s, p + 1, 1) == "(") {
      start = p; p += 2; list(")", ""); word = word MARK substr(s, start, p - start); open = 1
    } else if (c == "<" || c == ">" || (c == "&" && substr(s, p + 1, 1) == ">")) {
      if (word ~ /^[0-9]+$/) { word = ""; open = 0 }
      if (open) { cmd = joined(cmd, word); word = ""; open = 0 }
      start = p
      while (substr(s, p, 1) ~ /[<>&|-]/) p++
      k = substr(s, start, p - start)
      q = target()
      if (k ~ /^<<-?$/) { here[++docs] = unmarked(q); here[docs, "tabs"] = k == "<<-"; here[docs, "quoted"] = quoted }
      else if (k == "<<<") cmd = joined(cmd, IN q)
      else if (k ~ />/ && !(k ~ /&$/ && q ~ /^[0-9]*-?$/)) cmd = joined(cmd, OUT q)
    } else if (c == "(") {
      if (at["pattern"]) { p++; continue }
      if (open || cmd != "") {
        # name() or name (): a function. Anything else, such as x=(...), is read as a list.
        match(substr(s, p, 40), /^\([ \t]*\)/)
        if (RLENGTH > 1) { p += RLENGTH; print US "function" US last_word(open ? word : cmd); cmd = word = ""; open = 0; continue }
      }
      start = p
      if (arithmetic(p)) p = arithmetic(p)
      else { p++; list(")", link) }
      if (open) word = word MARK "("
    } else if (c == ")" || c == ";" || c == "&" || c == "|" || c == "\n") {
      p++
      if (open) cmd = grown(cmd, whole(word), at)
      if (!at["pattern"]) {
        # What is in a group reads from the pipe before the group.
        k = opened(cmd)
        if (depth > 0 || link == "|") depth += k
        if (depth > 0 && piped == "") { piped = "|"; outer = 1 }
        finish(cmd, link)
        if (outer && depth <= 0) { piped = ""; outer = 0 }
        if (c == ")" && stop == ")") return
      }
      cmd = word = ""; open = 0
      if (c == "|" && substr(s, p, 1) == "&") p++
      else if (c == "|" && substr(s, p, 1) == "|") { p++; c = "||" }
      if (c == ";" && substr(s, p, 1) ~ /[;&]/) { at["pattern"] = at["cases"] > 0; while (substr(s, p, 1) ~ /[;&]/) p++ }
      if (c == ")") at["pattern"] = 0
      # After a newline that follows "|" the pipe still holds.
      if (at["test"] && c ~ /[&|]/) link = "["
      else if (c == "|") link = "|"
      else if (c != "\n" || link == "") link = piped
      else if (!ends_in_pipe(p - 1)) link = piped
      if (c ~ /[;\n]/) at["test"] = 0
      if (c == "\n") {
        for (k = 1; k <= docs; k++) document(here[k], here[k, "tabs"], here[k, "quoted"])
        docs = 0; shell_here = 0
      }
    } else {
      if (c ~ /[*?[{]/) word = word MARK
      word = word c; open = 1; p++
    }
  }
  finish(open ? joined(cmd, whole(word)) : cmd, link)
  if (stop != "") print US BROKEN
}

# Brackets and braces that stand alone are words of the shell and no patterns.
function whole(word) { return word == MARK "{" || word == MARK "[" || word == MARK "[" MARK "[" ? unmarked(word) : word }
function unmarked(word) { gsub(MARK, "", word); return word }
function opened(cmd,    w, count, k, sum) {
  count = split(substr(cmd, 2), w, US); sum = 0
  for (k = 1; k <= count && w[k] ~ /^([{}!]|if|then|else|elif|fi|while|until|for|select|do|done|case|esac)$/; k++)
    if (w[k] ~ /^([{]|if|while|until|for|select|case)$/) sum++
    else if (w[k] ~ /^([}]|fi|done|esac)$/) sum--
  return sum
}
function joined(cmd, word) { return cmd == "" ? US word : cmd US word }
# The command with one more word, and where the list is now: in a test, before the "in" of a case, in its patterns.
function grown(cmd, word, at) {
  cmd = joined(cmd, word)
  if (at["wait"] == 2) at["wait"] = 1
  else if (at["wait"] == 1) { at["wait"] = 0; if (word == "in") { at["pattern"] = 1; return "" } }
  else if (word == "case" && is_start(cmd)) { at["cases"]++; at["wait"] = 2 }
  else if (word == "esac" && at["cases"] > 0) { at["cases"]--; at["pattern"] = 0 }
  else if (word == "[[" && is_start(cmd)) at["test"] = 1
  else if (word == "]]") at["test"] = 0
  return cmd
}
function is_start(cmd) { return cmd ~ ("^(" US "(if|then|else|elif|do|while|until|!|[{]|time))*" US "[^" US "]*$") }
function last_word(text) { sub(".*" US, "", text); return text }
function ends_in_pipe(at) {
  while (at > 1 && substr(s, at, 1) ~ /[ \t\r\n]/) at--
  return substr(s, at, 1) == "|" && substr(s, at - 1, 1) != "|" || substr(s, at - 1, 2) == "|&"
}

# One quoted or expanded piece of a word, beginning at p with c.
function piece(c,    start, out) {
  start = p++
  if (c == "\\") { p++; return substr(s, p - 1, 1) }
  if (c == "'") return single()
  if (c == "\"") return double("\"")
  if (c == "`") return MARK "$(" backticks() ")"
  c = substr(s, p, 1)
  if (c == "'") { p++; return ansi() }
  if (c == "\"") { p++; return double("\"") }
  if (c == "{") { p++; return MARK "${" double("}") "}" }
  if (c == "(") {
    if (arithmetic(p)) p = arithmetic(p)
    else { p++; list(")", "") }
    return MARK substr(s, start, p - start)
  }
  if (c ~ /[A-Za-z_]/) while (substr(s, p, 1) ~ /[A-Za-z0-9_]/) p++
  else if (c ~ /[0-9@*#?!$-]/) p++
  else return "$"
  return MARK substr(s, start, p - start)
}

function single(    start) {
  start = p
  while (p <= n && substr(s, p, 1) != "'") p++
  if (p > n) print US BROKEN
  return substr(s, start, p++ - start)
}

# Text in which expansions work, up to `ending` ("" is the end of the text).
function double(ending,    out, c, start) {
  out = ""
  while (p <= n) {
    c = substr(s, p, 1)
    if (c == ending) { p++; return out }
    if (c == "\\") {
      c = substr(s, p + 1, 1)
      out = out (c == "\n" ? "" : c ~ /[$`"\\}]/ ? c : "\\" c); p += 2
    } else if (c == "$" && substr(s, p + 1, 1) !~ /['"]/ || c == "`") out = out piece(c)
    else if (ending == "}" && (c == "\"" || c == "'")) out = out piece(c)
    else {
      start = p++
      while (p <= n && substr(s, p, 1) !~ /[\\$`"'}]/) p++
      out = out substr(s, start, p - start)
    }
  }
  if (ending != "") print US BROKEN
  return out
}

function backticks(    out, c) {
  out = ""
  while (p <= n && (c = substr(s, p, 1)) != "`") {
    if (c == "\\" && substr(s, p + 1, 1) ~ /[`\\$]/) { p++; c = substr(s, p, 1) }
    out = out c; p++
  }
  if (p > n) print US BROKEN
  p++
  later(out)
  return out
}

function ansi(    out, c, digits) {
  out = ""
  while (p <= n && (c = substr(s, p, 1)) != "'") {
    p++
    if (c == "\\") {
      c = substr(s, p++, 1)
      if (c == "n" || c == "r" || c == "t" || c == "v" || c == "f") c = " "
      else if (c ~ /[xuU]/) { digits = taken("[0-9A-Fa-f]", c == "x" ? 2 : c == "u" ? 4 : 8); c = character(digits, 16) }
      else if (c ~ /[0-7]/) { p--; digits = taken("[0-7]", 3); c = character(digits, 8) }
      else if (c == "c") { p++; c = "" }
    }
    out = out c
  }
  if (p > n) print US BROKEN
  p++
  return out
}
function taken(kind, most,    out) {
  out = ""
  while (length(out) < most && substr(s, p, 1) ~ kind) out = out substr(s, p++, 1)
  return out
}
function character(digits, base,    value, k) {
  value = 0
  for (k = 1; k <= length(digits); k++) value = value * base + index("0123456789abcdef", tolower(substr(digits, k, 1))) - 1
  return value >= 32 && value < 127 ? sprintf("%c", value) : value < 32 ? "" : "?"
}

# The position behind (( ... )) when only numbers and names are calculated there, else 0.
function arithmetic(at,    depth, c, k) {
  if (substr(s, at, 2) != "((") return 0
  depth = 0
  for (k = at; k <= n; k++) {
    c = substr(s, k, 1)
    if (c == "(") depth++
    else if (c == ")" && --depth == 1) return substr(s, k + 1, 1) == ")" ? k + 2 : 0
    else if (c !~ /[A-Za-z0-9_ \t+*\/%<>=!&|^~?:,()$-]/) return 0
    if (c == "$" && substr(s, k + 1, 1) == "(") return 0
  }
  return 0
}

# The word behind a redirection; `quoted` tells whether any of it was.
function target(    out, c) {
  out = ""; quoted = 0
  while (substr(s, p, 1) ~ /[ \t]/) p++
  while (p <= n && (c = substr(s, p, 1)) !~ /[ \t\r\n;&|<>()]/) {
    if (c ~ /['"\\]/) quoted = 1
    if (c ~ /['"\\$`]/) out = out piece(c)
    else { out = out c; p++ }
  }
  return out
}
# A here-document. Its text is a program only where a shell stands on the line; its expansions always work.
function document(end, tabs, isQuoted,    body, line, start, keepS, keepP, keepN) {
  body = ""
  while (p <= n) {
    start = p
    while (p <= n && substr(s, p, 1) != "\n") p++
    line = substr(s, start, p++ - start)
    if (tabs) sub(/^\t+/, "", line)
    if (line == end) break
    body = body line "\n"
  }
  if (shell_here) later(body)
  if (isQuoted) return
  keepS = s; keepP = p; keepN = n
  s = body; p = 1; n = length(s)
  double("")
  s = keepS; p = keepP; n = keepN
}

function later(text) { if (last <= MOST) todo[++last] = text }

# One simple command: what stands before its name is taken off, and it is printed.
function finish(cmd, link,    w, count, k) {
  if (cmd == "") return
  count = split(substr(cmd, 2), w, US)
  start_at(w, 1, count, link)
}

function start_at(w, k, count, link,    name, plain) {
  for (; k <= count; k++) {
    plain = w[k]; gsub(MARK, "", plain)
    if (w[k] ~ ("^[" OUT IN "]")) { show("", w, k, k, link); continue }
    if (plain ~ /^[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=/) continue
    if (w[k] ~ /^(if|then|else|elif|do|while|until|!|coproc|fi|done|esac|\{)$/) continue
    break
  }
  if (k > count || w[k] ~ /^(for|select|case|in)$/) return
  if (w[k] == "function") { print US "function" US w[k + 1]; start_at(w, k + 2, count, link); return }
  name = w[k]
  sub(/^[(=]+/, "", name)
  if (link == "[") sub(/[)]+$/, "", name)
  if (name !~ MARK || name !~ /\//) sub(/^.*\//, "", name)
  else if (last_part(name) !~ MARK) name = last_part(name)
  name = tolower(name); sub(/\.exe$/, "", name)
  if (name in takes) { wrapper(name, w, k + 1, count, link); return }
  if (name ~ /^(ba|da|z|k|mk|a|c|tc|fi)?sh$/) shell(name, w, k + 1, count)
  else if (name == "eval") later(words_from(w, k + 1, count))
  else if (name == "source" || name == ".") sourced(w, k + 1, count)
  else if (name == "trap") later(w_plain(w, k + 1, count))
  else if (name == "alias") aliases(w, k + 1, count)
  else if (name == "find" || name == "fd") finds(w, k + 1, count)
  show(name, w, k + 1, count, link)
  while (++k <= count) if (w[k] == "{") { start_at(w, k + 1, count, link); return }
}
function last_part(text) { sub(/^.*\//, "", text); return text }

function show(name, w, k, count, link,    line) {
  line = link US name
  for (; k <= count; k++) line = line US w[k]
  gsub(/\n/, " ", line)
  if (++printed <= MOST) print line
}

# Programs that start another one. `takes` names their options that have a value of their own word.
function known_options() {
  takes["sudo"] = " -u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot --close-from "
  takes["doas"] = " -u -C "
  takes["env"] = " -u -C -P --unset --chdir "
  takes["command"] = takes["builtin"] = takes["nohup"] = takes["setsid"] = takes["busybox"] = takes["toybox"] = " "
  takes["nocorrect"] = takes["noglob"] = takes["unbuffer"] = takes["caffeinate"] = takes["-"] = " "
  takes["exec"] = " -a "
  takes["time"] = takes["gtime"] = " -f -o "
  takes["nice"] = " -n --adjustment "
  takes["ionice"] = " -c -n "
  takes["timeout"] = takes["gtimeout"] = " -s -k --signal --kill-after "
  takes["stdbuf"] = " -i -o -e "
  takes["chroot"] = takes["repeat"] = takes["faketime"] = " "
  takes["nsenter"] = " -t -S -G "
  takes["unshare"] = takes["chronic"] = takes["entr"] = takes["ssh-agent"] = takes["firejail"] = " "
  takes["systemd-run"] = takes["dbus-run-session"] = takes["proxychains"] = takes["proxychains4"] = takes["torsocks"] = " "
  takes["flock"] = " -w -E "
  takes["chrt"] = takes["taskset"] = " "
  takes["xargs"] = " -I -n -P -L -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file --replace "
  takes["parallel"] = " -j -a --jobs "
  takes["watch"] = " -n --interval "
  takes["strace"] = takes["ltrace"] = " -e -o -p "
  takes["su"] = takes["script"] = takes["runuser"] = " -s -g -G -u "
  # Words between the options and the program.
  before["timeout"] = before["gtimeout"] = before["chroot"] = before["repeat"] = before["faketime"] = before["flock"] = before["chrt"] = before["taskset"] = 1
  plainly = " -i -0 -n -E -H -k -S -s -b -p -r -t -v -x -P -l -c -f -w -q -- --preserve-status --foreground --null --no-run-if-empty --verbose --wait --fork --ctty --login "
}

function wrapper(name, w, k, count, link,    skip, option, unsure, hole) {
  skip = before[name]; unsure = 0; hole = ""
  for (; k <= count; k++) {
    option = w[k]
    if (option ~ ("^[" OUT IN "]")) { show("", w, k, k, link); continue }
    if ((name == "env" || name == "sudo" || name == "doas") && option ~ /^[A-Za-z_][A-Za-z0-9_]*=/) continue
    if (option !~ /^-/) { if (skip-- > 0) continue; break }
    if ((name == "command") && option ~ /^-[vV]/) return
    if (name == "env" && option ~ /^(-[a-zA-Z0]*S|--split-string)/) {
      sub(/^(-[a-zA-Z0]*S|--split-string=?)/, "", option); later(option " " words_from(w, k + 1, count)); return
    }
    if (name ~ /^(su|script|runuser|flock)$/ && option ~ /^(-[a-z]*c|--command)/) { later(w_plain(w, k + 1, count)); return }
    if (name == "xargs" && option ~ /^(-I|-i|--replace)/) {
      hole = unmarked(option); sub(/^(-I|-i|--replace=?)/, "", hole)
      if (hole == "") hole = option == "-I" ? unmarked(w[k + 1]) : "{}"
    }
    if (name == "env" && option ~ /^(-C|--chdir)/ || name == "sudo" && option ~ /^(-D|--chdir)/) goes_to(option, w, k)
    if (index(takes[name], " " option " ")) k++
    else if (index(takes[name], " " substr(option, 1, 2) " ")) continue
    else if (!index(plainly, " " option " ") && option !~ /^-[^-].*[0-9]$|=/) unsure = 1
  }
  if (name ~ /^(watch|parallel)$/) { later(words_from(w, k, count)); return }
  if (name ~ /^(su|script|runuser)$/) programs_of(w, k, count)
  if (name ~ /^(su|script)$/ || k > count) { show(name, w, k, count, link); return }
  if (name == "xargs") count = filled(w, k, count, hole)
  start_at(w, k, count, link)
  # An option that is not known may have taken the next word for itself.
  if (unsure && k < count) start_at(w, k + 1, count, link)
}

# What xargs adds only its input knows.
function filled(w, k, count, hole) {
  if (hole == "") w[++count] = MARK "$xargs"
  else for (; k <= count; k++) if (index(unmarked(w[k]), hole)) w[k] = MARK "$xargs"
  return count
}
# Options may stand behind the name of a person.
function programs_of(w, k, count) {
  for (; k < count; k++) if (w[k] ~ /^(-[a-z]*c|--command)$/) later(unmarked(w[k + 1]))
}
function goes_to(option, w, k,    there) {
  there[1] = option; sub(/^(-C|-D|--chdir=?)/, "", there[1])
  if (there[1] == "") there[1] = w[k + 1]
  show("cd", there, 1, 1, "")
}
# A file is read like any other; text on stdin, or what a command prints, is a program.
function sourced(w, k, count) {
  shell_here = 1
  if (last_part(w[k]) ~ MARK) show(w[k], w, k + 1, count, "")
  for (; k <= count; k++) if (w[k] ~ ("^" IN)) later(substr(w[k], 2))
}

function shell(name, w, k, count,    option, hasProgram) {
  hasProgram = 0
  shell_here = 1
  for (; k <= count; k++) {
    option = w[k]
    if (option ~ ("^" IN)) { later(substr(option, 2)); continue }
    if (hasProgram == 2) continue
    if (option ~ /^-[a-zA-Z]*c/) hasProgram = 1
    if (option ~ /^[-+][a-zA-Z]*[oO]$/ || option ~ /^--(rcfile|init-file)$/) k++
    else if (option ~ /^-[a-zA-Z]*c/) continue
    else if (option !~ /^[-+]/ && hasProgram == 1) { later(unmarked(option)); hasProgram = 2 }
    # A file is looked for like a program.
    else if (option !~ ("^([-+]|" OUT ")")) { start_at(w, k, count, ""); hasProgram = 2 }
  }
}

function finds(w, k, count,    from, v, m) {
  for (; k <= count; k++) {
    if (w[k] !~ /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/) continue
    m = 0; delete_all(v)
    for (k++; k <= count && w[k] != ";" && w[k] != "+"; k++) v[++m] = w[k]
    if (m > 0) start_at(v, 1, m, "")
  }
}
function delete_all(v,    k) { for (k in v) delete v[k] }

function aliases(w, k, count,    text) {
  for (; k <= count; k++) { text = w[k]; sub(/^[^=]*=/, "", text); later(unmarked(text)) }
}
function w_plain(w, k, count) { return k <= count ? unmarked(w[k]) : "" }
function words_from(w, k, count,    out) {
  for (out = ""; k <= count; k++) out = out " " w[k]
  return unmarked(out)
}
