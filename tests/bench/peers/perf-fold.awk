# perf script -F comm,ip,sym to folded stacks, as stackcollapse-perf.pl makes them.
function end() { if (comm != "") count[comm stack]++; comm = stack = "" }
/^[^ \t]/ { end(); comm = $0; sub(/[ \t]+$/, "", comm); gsub(/[; ]/, "_", comm); next }
NF >= 2 { name = $2; sub(/\+0x[0-9a-f]+$/, "", name); if ($1 ~ /^ffff/) name = name "_[k]"; stack = ";" name stack }
END { end(); for (line in count) print line, count[line] }
