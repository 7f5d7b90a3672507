# exits.sh CODE COMMAND...: fails unless the command exits with the code.
expected=$1
shift
"$@"
got=$?
if [ $got -ne $expected ]; then
  echo "exit code $got, expected $expected: $*" >&2
  exit 1
fi
