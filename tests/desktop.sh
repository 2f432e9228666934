#!/usr/bin/env bash
# A desktop for a machine that has none: a virtual screen, a session bus, a window manager, a panel with a tray, a
# notification daemon and a keyring, all private and all ended with the program.
#
#   tests/desktop.sh PICTURE PROGRAM [ARGUMENT]...
#
# Takes a picture of the screen once the program's window is there, and again when it ends.
set -euo pipefail

picture=$1
shift
here=$(cd "$(dirname "$0")" && pwd)

if [ "${OUTTRAY_DESKTOP:-}" != inside ]; then
  mkdir -p "$(dirname "$picture")"
  number=$(mktemp)
  # -noreset: the screen outlives its last window. -displayfd: Xvfb picks a free number itself.
  Xvfb -displayfd 3 -screen 0 1280x800x24 -noreset -nolisten tcp 3>"$number" 2>/dev/null &
  screen=$!
  session=
  # shellcheck disable=SC2317 # called by the trap
  end() {
    [ -z "$session" ] || kill -TERM "$session" 2>/dev/null || true
    [ -z "$session" ] || wait "$session" 2>/dev/null || true
    kill "$screen" 2>/dev/null || true
    rm -f "$number"
  }
  trap end EXIT
  trap 'exit 130' INT TERM
  until [ -s "$number" ]; do
    kill -0 "$screen" 2>/dev/null || { echo "The virtual screen did not start." >&2; exit 1; }
    sleep 0.1
  done
  export DISPLAY=":$(cat "$number")" OUTTRAY_DESKTOP=inside
  dbus-run-session -- "$0" "$picture" "$@" &
  session=$!
  wait "$session"
  exit $?
fi

started=()
# shellcheck disable=SC2317 # called by the trap
end() {
  import -window root "$picture" 2>/dev/null || true
  [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
}
trap end EXIT
trap 'exit 0' INT TERM

settings=$(mktemp -d)
export XDG_CONFIG_HOME=$settings NO_AT_BRIDGE=1 GTK_USE_PORTAL=0
mkdir -p "$settings/xfce4/xfconf/xfce-perchannel-xml"
cp "$here/e2e/src/panel.xml" "$settings/xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml"

openbox >/dev/null 2>&1 &
started+=($!)
xfce4-panel --disable-wm-check >/dev/null 2>&1 &
started+=($!)
dunst >/dev/null 2>&1 &
started+=($!)
if command -v gnome-keyring-daemon >/dev/null; then
  eval "$(printf 'practice' | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)" || true
fi

"$@" &
program=$!
started+=("$program")
for _ in $(seq 100); do
  kill -0 "$program" 2>/dev/null || break
  if xwininfo -root -tree 2>/dev/null | grep -q '"Outtray\|outtray'; then
    sleep 2
    import -window root "$picture" && echo "A picture of the screen: $picture. Ctrl+C ends it." >&2
    break
  fi
  sleep 0.2
done
wait "$program"
