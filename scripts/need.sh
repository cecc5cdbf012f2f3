# Says what is missing and which command brings it, and ends: `need WHAT COMMAND`.
need() {
  echo "Cannot start: $1 is not here. Run \"$2\" first" >&2
  exit 1
}
