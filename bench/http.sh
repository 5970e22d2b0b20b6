# GET /api/runs/{id} over TCP with keep-alive, compared with nginx and node serving the same bytes.
# Sourced by bench/run. Each serves with one thread: Drover's loop, one worker of nginx, node. nginx
# reads the bytes from a file, node from memory; Drover finds the run in its store, authenticates
# the caller, and writes the record.

http_for=${HTTP_SECONDS:-3}
http_connections=${HTTP_CONNECTIONS:-16}

# nginx without its Debian package, which would start a server.
install_http() {
  local missing=()
  command -v wrk > /dev/null || missing+=(wrk)
  command -v node > /dev/null || missing+=(nodejs)
  if [[ ${#missing[@]} -gt 0 ]]; then
    $([[ $EUID -eq 0 ]] || echo sudo) apt-get install -q -y --no-install-recommends "${missing[@]}"
  fi > /dev/null
  nginx=$(command -v nginx || true)
  if [[ -z $nginx ]]; then
    mkdir -p "$homes/nginx-package"
    (cd "$homes/nginx-package" && apt-get download -q nginx > /dev/null 2>&1 && dpkg-deb -x nginx_*.deb .)
    nginx=$homes/nginx-package/usr/sbin/nginx
  fi
}

serve_http() {
  www=$(mktemp -d "$homes/www-XXXX"); chmod 755 "$homes" "$www"
  fresh_home
  export DROVER_LISTEN=127.0.0.1:0
  drover run -- true
  unset DROVER_LISTEN
  local id token port=$((20000 + RANDOM % 10000))
  id=$(drover ps -a --json | jq -r '.runs[0].run_id')
  token=$(< "$DROVER_HOME/state/owner.token")
  drover_url=$(drover status --json | jq -r .url)/api/runs/$id
  bearer="Authorization: Bearer $token"
  curl -sS -H "$bearer" "$drover_url" > "$www/run.json"
  cat > "$www/nginx.conf" <<EOF
worker_processes 1;
daemon off;
pid $www/nginx.pid;
error_log $www/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  types { application/json json; }
  client_body_temp_path $www/body; proxy_temp_path $www/proxy; fastcgi_temp_path $www/fastcgi;
  uwsgi_temp_path $www/uwsgi; scgi_temp_path $www/scgi;
  server { listen 127.0.0.1:$port; root $www; }
}
EOF
  "$nginx" -c "$www/nginx.conf" -p "$www" 2> "$www/error" & nginx_pid=$!
  nginx_url=http://127.0.0.1:$port/run.json
  node "$here/http.cjs" "$www/run.json" > "$www/node-port" & node_pid=$!
  until [[ -s $www/node-port ]]; do sleep 0.1; done
  node_url=http://127.0.0.1:$(< "$www/node-port")/
  until curl -fsS "$nginx_url" > /dev/null 2>&1; do sleep 0.1; done
}

# load NAME URL: writes a line "answers/s p99-in-ms" into the file of that name.
load() {
  wrk -t1 -c"$http_connections" -d"${http_for}s" --latency -H "$bearer" "$2" > "$homes/wrk"
  if grep -q 'Non-2xx\|Socket errors' "$homes/wrk"; then cat "$homes/wrk" >&2; exit 1; fi
  awk '/Requests\/sec/ {rate = $2}
       /99%/ {p = $2; sub(/[a-z]+$/, "", p); if ($2 ~ /us$/) p /= 1000; else if ($2 !~ /ms$/) p *= 1000}
       END {print rate, p}' "$homes/wrk" >> "$homes/load-$1"
}
rate_of() { cut -d' ' -f1 "$homes/load-$1" | median; }
p99_of() { cut -d' ' -f2 "$homes/load-$1" | median; }

http() {
  install_http
  serve_http
  rm -f "$homes"/load-*
  for _ in $(seq "$rounds"); do
    load drover "$drover_url"; load nginx "$nginx_url"; load node "$node_url"
  done
  kill "$nginx_pid" "$node_pid"; wait "$nginx_pid" "$node_pid" 2> /dev/null || true
  drover stop --kill > /dev/null 2>&1
  local peer name size; size=$(stat -c %s "$www/run.json")
  for peer in nginx node; do
    name=$([[ $peer == nginx ]] && echo "nginx, the same bytes from a file" || echo "node's http, the same bytes from memory")
    row "GET /api/runs/{id} ($size bytes) over TCP, $http_connections kept connections, answers/s, relative to $name" \
      "$(calc "$(rate_of drover) / $(rate_of $peer)")" ratio '>=' 0 "$(rate_of drover)/s beside $(rate_of $peer)/s"
    row "the same, p99, relative to $peer" "$(calc "$(p99_of drover) / $(p99_of $peer)")" ratio '<=' 1e9 \
      "$(p99_of drover) ms beside $(p99_of $peer) ms"
  done
}
