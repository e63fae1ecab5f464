# The first process of a container. It lives as long as somebody holds its input, answers each line with what the control
# group counted, and ends with its input; with it the container ends and is removed.
#
# An order "status" is answered with what the kernel says of the keeper, whose restrictions its container's commands share.
#
# An order "clean" first ends everything else in the container, in one step that nothing can outrun.

# Holds the place of one process. Where a command has taken all others, the keeper could start none, and a shell that cannot
# start a process ends.
hold() {
  sleep 2147483647 &
}

hold
while read -r order; do
  if [ "$order" = status ]; then
    while read -r line; do
      echo "$line"
    done <"/proc/$$/status"
    read -r kernel <"/proc/version"
    echo "Kernel: $kernel"
    echo .
    continue
  fi
  if [ "$order" = clean ]; then
    kill -9 -1 2>/dev/null
    wait
    # Waiting for a child of its own, a shell also takes those that were left to it.
    (:)
    hold
  fi
  for file in memory.events pids.events pids.current \
    memory/memory.oom_control pids/pids.events pids/pids.current; do
    if [ -r "/sys/fs/cgroup/$file" ]; then
      while read -r line; do
        echo "${file##*/} $line"
      done <"/sys/fs/cgroup/$file"
    fi
  done
  echo .
done
