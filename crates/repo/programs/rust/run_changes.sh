#!/bin/sh
# run_changes.sh REPORT SECONDS CHANGES PROGRAM ARGUMENTS...: runs a test program once for each of the changes that are built into it, and adds
# to the report how each run ended. SECONDS, a whole number, is the most that the first run may take; the others may take five times as long as
# it did, and half a second.
report=$1
seconds=$2
changes=$3
shift 3
# A function that holds many changes needs more room on the stack, as every copy of its variables has a place there.
RUST_MIN_STACK=${RUST_MIN_STACK:-268435456}
export RUST_MIN_STACK
limit=$seconds
began=$(date +%s%N)
for change in $changes; do
    AUTOHEAL_CHANGE=$change timeout -s KILL "$limit" "$@" </dev/null >/dev/null 2>&1
    echo "change $change ended with $?" >>"$report"
    if [ -n "$began" ]; then
        millis=$((($(date +%s%N) - began) / 200000 + 500))
        began=
        if [ "$millis" -lt "$((seconds * 1000))" ]; then
            limit=$((millis / 1000)).$(printf '%03d' $((millis % 1000)))
        fi
    fi
done
