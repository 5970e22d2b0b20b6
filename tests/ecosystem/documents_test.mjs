// The examples in docs/api.md work as written: each is executed, in order, in one shell against one
// daemon, and answered without an error.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Flock } from './flock.mjs';

// `api` as in the document, with three additions: an error fails the test, a stream is left after a
// while, and a started run is running before the next example uses it.
const careful = `
eval "$(declare -f api | sed '1s/^api/asked/')"
api() {
  local limit=() out code status words="$*"
  [[ " $words " == *" -N "* ]] && limit=(--max-time 2)
  out=$(asked "$@" "\${limit[@]}" -w '\\n%{http_code}') && code=0 || code=$?
  status=\${out##*$'\\n'}
  echo "+ api $words → $status" >&2
  if (( code != 0 && ! (code == 28 && \${#limit[@]}) )); then echo "curl: $code" >&2; exit 1; fi
  if (( status >= 400 )); then echo "$out" >&2; exit 1; fi
  if [[ $1 == /api/runs && $status == 202 ]]; then
    while asked /api/runs/@last | grep -q '"state":"starting"'; do :; done
  fi
  printf '%s\\n' "\${out%$'\\n'*}"
}
`;

test('the examples of docs/api.md work as they stand', async (t) => {
  const flock = new Flock();
  t.after(() => flock.close());
  const daemon = await flock.daemon();
  const text = readFileSync(process.env.DROVER_API_DOCUMENT, 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((found) => found[1]);
  assert.ok(blocks.length >= 10);
  const script = 'set -euo pipefail\n' + blocks[0] + careful + blocks.slice(1).join('\n');
  const shell = spawnSync('bash', ['-c', script], { env: flock.env, encoding: 'utf8', timeout: 120_000 });
  assert.equal(shell.status, 0, shell.stderr.slice(-3000));
  await flock.gone(daemon);  // The last example stops it.
  const examples = blocks.slice(1).join('').match(/\bapi ["/]/g).length;
  const done = shell.stderr.match(/^\+ api /gm).length;
  assert.equal(done, examples, shell.stderr);
});
