# bpftrace's map of [comm, ustack, kstack] to folded stacks. Of an empty stack there is no line, but ", " is there.
function out() { gsub(/;/, "_", comm); print comm user kernel, $NF; open = 0 }
/^@\[/ { open = 1; part = /, , (\]: [0-9]+)?$/; user = kernel = ""; comm = substr($0, 3); sub(/, (, )?(\]: [0-9]+)?$/, "", comm); if (/\]: [0-9]+$/) out(); next }
open && /^(, )?\]: [0-9]+$/ { out(); next }
open && /^, $/ { part = 1; next }
open && NF { name = $1; sub(/\+[0-9]+$/, "", name); if (part) kernel = ";" name "_[k]" kernel; else user = ";" name user }
