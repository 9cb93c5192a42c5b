#!/bin/sh
# The tests where nothing but a folder for temporary files can be written to, and there is no home
# directory, as in a container or a scheduled job. Started by make locked, in a mount namespace of
# its own: what is mounted here is gone with the process.
set -eu
room=$1
shift
mount --make-rprivate /
mount -t tmpfs -o mode=1777 tmpfs "$room"
mount --bind "$PWD" "$PWD"
for place in / "$PWD"; do
    mount -o remount,bind,ro "$place"
done
cd "$PWD"
if [ -w . ]; then
    echo "The install can be written to." >&2
    exit 2
fi
unset XDG_CACHE_HOME XDG_DATA_HOME NUMBA_CACHE_DIR
export HOME=/nonexistent TMPDIR="$room" PYTHONDONTWRITEBYTECODE=1
exec .venv/bin/python -m pytest -p no:cacheprovider --basetemp="$room/tests" "$@"
