#!/bin/sh
# report.sh REPORT COMMAND...: runs a command with all that it prints, its errors among it, in one file in the order of printing. At the end
# the part that is for people is printed.
report=$1
shift
: >"$report"
# Programs below the command may add to the report, too.
"$@" >>"$report" 2>&1
status=$?
grep -v '^{"reason":' "$report" | tail -c 60000
exit "$status"
