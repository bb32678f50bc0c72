#!/bin/sh
# one-object.sh PARTS.a RESULT.a: makes the runtime one object whose hidden symbols are local, so that only its public
# names can collide with a program's. Weak symbols stay, since they name groups of which the linker keeps one. But
# thunks that call a function that is local now get another name, so that the linker cannot take a thunk for a
# program's own function of that name in their place. The lists of significant addresses (`--icf=safe`) do not survive
# being joined, and lld warns of them. $LD and $OBJCOPY are the tools for the runtime's processor.
set -e
parts=$1 result=$2 object=${2%.a}.o names=${2%.a}.names
"${LD:-ld}" -r -o "$object" --whole-archive "$parts"
readelf -sW "$object" | awk '
  $5 != "GLOBAL" || $7 == "UND" { next }
  $6 == "HIDDEN" { print $8; next }
  { public[$8] = 1 }
  END { # an interruptible version is public where the plain one is
    for (name in public)
      if (name ~ /^ch_.*\.int$/) {
        plain = name
        sub(/(\.variadic)?\.int$/, "", plain)
        if (!(plain in public)) print name
      }
  }' | sort -u >"$names.local"
readelf -sW "$object" | awk '$5 == "WEAK" && $8 ~ /^charcoal\.external\.ch_/ {print $8, "lib" $8}' |
  sort -u >"$names.thunks"
"${OBJCOPY:-objcopy}" --remove-section=.llvm_addrsig --redefine-syms="$names.thunks" \
  --localize-symbols="$names.local" "$object"
rm -f "$result"
ar rcs "$result" "$object"
rm -f "$object" "$names.local" "$names.thunks"
