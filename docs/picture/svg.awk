# Turns a screen, as `GET /api/runs/{id}/screen?format=ansi` returns it, into an SVG picture.
# A row begins with ESC [ row H; ESC [ …m sets the style of the text behind it. The rest (cursor,
# modes) is dropped. Text is copied, never measured, so that any awk can do it.
BEGIN {
  RS = "\033"
  row_height = 18; margin = 18; bar = 30
  width = columns * 8.4 + 2 * margin
  split("#6e7681 #ff7b72 #7ee787 #e3b341 #79c0ff #d2a8ff #76e3ea #c9d1d9", palette, " ")
  # The n-th run that is shown always has the n-th of these ids.
  split("b c d e f g h j", letter, " ")
}

function color(n) { return " fill=\"" palette[n % 8 + 1] "\"" }

function set_style(codes,   n, code, i) {
  n = split(codes, code, ";")
  for (i = 1; i <= n; i++) {
    if (code[i] + 0 == 0) { fill = ""; bold = ""; italic = "" }
    else if (code[i] == 1) bold = " font-weight=\"bold\""
    else if (code[i] == 3) italic = " font-style=\"italic\""
    else if (code[i] >= 30 && code[i] <= 37) fill = color(code[i] - 30)
    else if (code[i] == 38 && code[i + 1] == 5) { fill = color(code[i + 2]); i += 2 }
  }
}

# Replaces what differs each time: ids, in order of appearance, and the age and duration of runs.
function steady(text,   id, out, tail) {
  while (match(text, /run_[0-9a-z]+/)) {
    id = substr(text, RSTART, RLENGTH)
    if (!(id in number)) number[id] = ++runs
    tail = "q4v8n2x5t1z6m3h7w0p9d4b"
    out = out substr(text, 1, RSTART - 1) substr("run_01k" letter[number[id]] tail, 1, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
  }
  text = out text
  sub(/TIME +EXIT$/, "TIME  EXIT", text)
  if (match(text, /(now|[0-9]+s) +(-|[0-9]+m?s) +(-|[0-9]+)$/)) {
    split(substr(text, RSTART), cell, / +/)
    if (cell[2] != "-") cell[2] = "12ms"
    text = substr(text, 1, RSTART - 1) sprintf("now  %-4s  %s", cell[2], cell[3])
  }
  return text
}

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}

match($0, /^\[[0-9;?]*[A-Za-z]/) {
  kind = substr($0, RLENGTH, 1)
  codes = substr($0, 2, RLENGTH - 2)
  text = substr($0, RLENGTH + 1)
  if (kind == "H") row = codes + 0
  if (kind == "m") set_style(codes)
  if (text == "" || row == 0) next
  line[row] = line[row] "<tspan" fill bold italic ">" escaped(steady(text)) "</tspan>"
  if (row > used) used = row
}

END {
  height = bar + used * row_height + margin
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", width, height
  printf " viewBox=\"0 0 %d %d\" role=\"img\"\n", width, height
  print "     aria-label=\"A terminal session with Drover\">"
  printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", width, height
  split("2 4 3", light, " ")
  for (i = 1; i <= 3; i++) {
    printf "<circle cx=\"%d\" cy=\"16\" r=\"5\" fill=\"%s\"/>\n", margin - 14 + i * 18, palette[light[i]]
  }
  print "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\""
  print "   font-size=\"14\" fill=\"#c9d1d9\" xml:space=\"preserve\">"
  for (i = 1; i <= used; i++) {
    if (line[i] == "") continue
    printf "<text x=\"%d\" y=\"%d\">%s</text>\n", margin, bar + i * row_height, line[i]
  }
  print "</g>"
  print "</svg>"
}
