# bpftrace's map of [comm, ustack, kstack] to folded stacks.
/^@\[/ { comm = $0; sub(/^@\[/, "", comm); sub(/,.*/, "", comm); part = 0; user = kernel = ""; open = 1; next }
open && /^\]: / { print comm user kernel, $2; open = 0; next }
open && /^, / { part = 1; next }
open && NF { name = $1; sub(/\+[0-9]+$/, "", name); sub(/,$/, "", name); if (part) kernel = ";" name "_[k]" kernel; else user = ";" name user }
