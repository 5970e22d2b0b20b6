# Other programs for the same job: /bin/true, 8 at a time, from submission to a known end. Each is
# compared with the same bare spawn loop. Sourced by bench/run; installs missing programs from
# Debian and npm.
#
# Only Drover keeps output, exit code and history across a crash, and contains children.

jobs_peers=${PEERS_COUNT:-400}
all_done() { awk -v b="$1" -v e="$(now_ms)" -v n="$jobs_peers" 'BEGIN {print n * 1000 / (e - b)}'; }

peer_xargs() { local t; t=$(now_ms); seq "$jobs_peers" | xargs -n1 -P8 /bin/true; all_done "$t"; }
peer_parallel() { local t; t=$(now_ms); seq "$jobs_peers" | parallel --will-cite -j8 /bin/true; all_done "$t"; }
peer_tsp() {
  export TS_SOCKET=$homes/tsp-$RANDOM
  tsp -S 8
  local t; t=$(now_ms)
  for _ in $(seq "$jobs_peers"); do tsp /bin/true > /dev/null; done
  while tsp | grep -qE 'queued|running'; do :; done
  all_done "$t"
  tsp -K
}
peer_nq() {
  local t; t=$(now_ms)
  NQDIR=$(mktemp -d "$homes/nq-XXXX"); export NQDIR
  for _ in $(seq "$jobs_peers"); do nq -q /bin/true; done
  nq -w
  all_done "$t"
}
peer_at() {
  local t ends=$homes/at-ends; : > "$ends"
  pgrep -x atd > /dev/null || { atd -f -l 100 -b 0 & }
  t=$(now_ms)
  for _ in $(seq "$jobs_peers"); do echo "/bin/true; printf . >> $ends" | at -M now 2> /dev/null; done
  until [[ $(stat -c %s "$ends") == "$jobs_peers" ]]; do :; done
  all_done "$t"
}
peer_pm2() {
  PM2_HOME=$(mktemp -d "$homes/pm2-XXXX") NODE_PATH=$homes/npm/node_modules node "$here/pm2.cjs" "$jobs_peers"
}
peer_drover() { fresh_home; drover status > /dev/null; bench-run-rate "$jobs_peers" 8; drover stop > /dev/null 2>&1; }
peer_bare() { bench-bare-loop "$jobs_peers" 8; }

install_peers() {
  local missing=()
  command -v tsp > /dev/null || missing+=(task-spooler)
  command -v nq > /dev/null || missing+=(nq)
  command -v atd > /dev/null || missing+=(at)
  command -v parallel > /dev/null || missing+=(parallel)
  command -v npm > /dev/null || missing+=(npm)
  if [[ ${#missing[@]} -gt 0 ]]; then
    $([[ $EUID -eq 0 ]] || echo sudo) apt-get install -q -y --no-install-recommends "${missing[@]}"
  fi > /dev/null
  npm install --silent --prefix "$homes/npm" pm2 > /dev/null
}

peers() {
  install_peers
  local peer
  for peer in drover xargs parallel tsp nq at pm2; do
    against peer_bare "peer_$peer"
    row "$peer: runs/s, 8 in flight, relative to a bare spawn loop" "$ratio" ratio '>=' 0 "$b/s"
  done
}
