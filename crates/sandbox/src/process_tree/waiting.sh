# The first process of a process tree that was started before its command was known.
#
# Says with one empty line that the process tree is ready. Then reads words, one a line: "=word", with bytes other than printable
# ASCII as \0ooo. A line "." ends them: the first word is the folder, the others the command. What follows on standard input
# is the command's. Words are data: no word is ever part of a shell line.
echo
set --
while IFS= read -r line; do
  case $line in
    .)
      cd -- "$1" || exit 126
      shift
      exec "$@"
      ;;
    *\\*)
      # Command substitution drops newlines at the end; the underscore keeps them.
      word=$(printf '%b_' "$line")
      word=${word%_}
      ;;
    *) word=$line ;;
  esac
  set -- "$@" "${word#=}"
done
