// S2: third-party programs understand the API: an OpenAPI linter, a proxy that validates every
// answer against the description, Prometheus' own checker, and an EventSource.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EventSource } from 'eventsource';
import { Flock, Proxy, freePort } from './flock.mjs';

const flock = new Flock();
let bearer;

before(async () => {
  await flock.listen();
  bearer = { authorization: `Bearer ${await flock.token()}` };
});
after(() => flock.close());

const json = { 'content-type': 'application/json' };

// The linter finds no errors and no warnings in the description.
test('redocly accepts /openapi.json', async () => {
  const { text } = await flock.ask('GET', '/openapi.json');
  writeFileSync('openapi.json', text);
  // The login answers a browser with a redirect: 303 is its only status.
  writeFileSync(
    '.redocly.lint-ignore.yaml',
    "openapi.json:\n  operation-2xx-response:\n    - '#/paths/~1login/get/responses'\n",
  );
  const lint = spawnSync(
    process.execPath,
    ['node_modules/.bin/redocly', 'lint', 'openapi.json', '--max-problems', '50'],
    { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off' } },
  );
  assert.equal(lint.status, 0, lint.stdout + lint.stderr);
  assert.doesNotMatch(lint.stdout + lint.stderr, /warnings?\b.*[1-9]/i);
});

// Prometheus' own checker accepts the metrics of a daemon with a history.
test('promtool accepts /metrics', async () => {
  await flock.drover('run', '--', 'true');
  const { text } = await flock.ask('GET', '/metrics');
  const check = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout + check.stderr);
  assert.equal(check.stdout + check.stderr, '');
  assert.match(text, /^drover_runs_total\{kind="command",state="completed"\} 1$/m);
});

// A tour of the whole API through the proxy, which answers a mismatch with an error of its own. A
// described operation that the tour does not visit fails the test: add new operations to it.
test('prism sees no mismatch', async (t) => {
  const proxy = await Proxy.start('openapi.json', flock.url, await freePort());
  t.after(() => proxy.close());
  const seen = new Set();
  async function ask(method, path, { status = 200, body, headers = json } = {}) {
    const answer = await fetch(proxy.url + path, {
      method,
      headers: { ...bearer, ...(body === undefined ? {} : headers) },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    assert.equal(answer.headers.get('sl-violations'), null, `${method} ${path}: ${text}`);
    assert.equal(answer.status, status, `${method} ${path}: ${text}`);
    seen.add(`${method} ${path.split('?')[0]}`);
    const type = answer.headers.get('content-type') ?? '';
    return type.startsWith('application/json') ? JSON.parse(text) : text;
  }

  const start = async (body) => (await ask('POST', '/api/runs', { status: 202, body })).run_id;
  const done = await start({ command: ['sh', '-c', 'echo hello; echo oops >&2'], name: 'a tour', labels: { a: 'b' } });
  const record = await ask('GET', `/api/runs/${done}?wait=30s`);
  assert.equal(record.state, 'completed');
  await ask('GET', '/api/runs?state=completed&limit=10&label=a%3Db');
  assert.match(await ask('GET', `/api/runs/${done}/logs`), /hello/);
  await ask('GET', `/api/runs/${done}/logs?format=ndjson`);
  await ask('GET', `/api/runs/${done}/logs?stream=stderr&tail=1`);
  await ask('GET', `/api/runs/${done}/events?limit=100`);
  await ask('GET', `/api/runs/${done}/why`);
  await ask('POST', `/api/runs/${done}/cancel`, { body: {} });
  await ask('GET', `/_ref/runs/${done}`);
  await ask('GET', `/_ref/runs/${done}/timeline?limit=5000`);
  await ask('POST', `/_ref/runs/${done}/cancel`, { status: 409, body: {} });
  const again = await ask('POST', `/api/runs/${done}/retry`, { status: 202, body: {} });
  await ask('GET', `/api/runs/${again.run_id}?wait=30s`);
  await ask('DELETE', `/api/runs/${done}`);
  await ask('GET', `/_ref/runs/${done}`);
  await ask('GET', `/api/runs/${done}`, { status: 404 });

  const failed = await start({ command: ['/nothing/there'], limits: { memory: '1G', pids: 50 } });
  assert.equal((await ask('GET', `/api/runs/${failed}?wait=30s`)).reason, 'launch_failed');
  await ask('GET', `/_ref/runs/${failed}`);

  const typed = await start({ command: ['cat'], stdin: 'pipe' });
  await ask('GET', `/api/runs/${typed}?live=true`);
  await ask('POST', `/api/runs/${typed}/input?eof=true`, { body: 'yes\n', headers: { 'content-type': 'text/plain' } });
  await ask('GET', `/api/runs/${typed}?wait=30s`);

  const terminal = await start({ command: ['sleep', '1000'], pty: { rows: 24, cols: 80 } });
  await ask('GET', `/api/runs/${terminal}/screen`);
  await flock.drover('events', '--json').catch(() => {});
  for (let state = ''; state !== 'running'; ) state = (await ask('GET', `/api/runs/${terminal}`)).state;
  await ask('POST', `/api/runs/${terminal}/resize`, { body: { rows: 30, cols: 100 } });
  await ask('POST', `/api/runs/${terminal}/progress`, { body: { percent: 40, text: 'linking' } });
  await ask('GET', `/api/runs/${terminal}/why`);
  await ask('POST', `/api/runs/${terminal}/signal`, { body: { signal: 'WINCH' } });
  await ask('POST', `/_ref/runs/${terminal}/cancel`, { status: 202, body: { grace: '0ms' } });
  await ask('GET', `/api/runs/${terminal}?wait=30s`);

  await ask('PUT', '/api/lanes/slow', { body: { limit: 1, paused: true } });
  const queued = await start({ command: ['true'], lane: 'slow', scope: 'tour/api', retry: { max: 1, backoff: '1s' } });
  await ask('GET', `/api/runs/${queued}/why`);
  await ask('POST', `/api/runs/${queued}/move`, { body: { priority: 5 } });
  await ask('GET', '/api/lanes');
  await ask('GET', '/api/events?limit=10&scope=tour%2Fapi');
  await ask('POST', '/api/cancel', { body: { scope: 'tour/api' } });
  await ask('PUT', '/api/lanes/idle', { body: { limit: 2 } });
  await ask('DELETE', '/api/lanes/idle');
  const root = join(flock.home, 'game');
  mkdirSync(join(root, '.drover'), { recursive: true });
  writeFileSync(join(root, 'drover.toml'), '[project]\nid = "game"\n[play]\nbuild = "mkdir -p build; echo built"\n');
  writeFileSync(join(root, '.drover/setup.json'), '{"runtimePath":"/bin/echo"}');
  await ask('POST', '/api/projects', { body: { root } });
  await ask('POST', '/api/projects', { status: 404, body: { root: '/nowhere' } });
  await ask('GET', '/api/projects');
  await ask('GET', '/api/projects/game');
  assert.equal((await ask('GET', '/api/projects/game/session')).state, 'idle');
  assert.equal((await ask('POST', '/api/projects/game/play', { status: 202, body: {} })).ignored, false);
  assert.equal((await ask('GET', '/api/projects/game/session?wait=30s')).state, 'stopped');
  assert.equal((await ask('POST', '/api/projects/game/stop', { body: {} })).ignored, true);
  await ask('GET', '/api/projects/game/feed?limit=10');
  assert.match(await ask('GET', '/api/projects/game/log'), /"text":"run build"/);
  await ask('DELETE', '/api/projects/game');
  await ask('GET', '/api/projects/game', { status: 404 });
  const secret = join(flock.home, 'hook.secret');
  writeFileSync(secret, 'quietly-does-it', { mode: 0o600 });
  const add = (name, source) => ask('POST', '/api/triggers', { body: { name, source, run: { command: ['true'] } } });
  await add('nightly', { type: 'cron', cron: '0 3 * * *', tz: 'Europe/Berlin' });
  await add('pushed', { type: 'webhook', path: 'push', secret: `file:${secret}` });
  await add('shipped', { type: 'event', on: 'deploy.*' });
  await ask('GET', '/api/triggers');
  assert.equal((await ask('GET', '/api/triggers/nightly')).state, 'active');
  assert.equal((await ask('GET', '/api/triggers/nightly/next?count=3')).times.length, 3);
  await ask('PUT', '/api/triggers/nightly', { body: { missed: 'skip' } });
  await ask('POST', '/api/triggers/nightly/pause');
  await ask('POST', '/api/triggers/nightly/resume');
  const fired = await ask('POST', '/api/triggers/nightly/fire', { body: { payload: { by: 'hand' } } });
  await ask('GET', `/api/runs/${fired.run_id}?wait=30s`);
  assert.equal((await ask('GET', '/api/triggers/nightly/history')).entries[0].outcome, 'fired');
  assert.equal((await ask('GET', '/api/triggers/nightly/why')).verdict, 'recorded');
  await ask('GET', '/api/triggers/nightly/why?at=2020-01-01T00:00:00Z');
  assert.equal((await ask('POST', '/api/triggers/nightly/test', { body: {} })).would_run, true);
  await ask('POST', '/api/triggers/shipped/test', { body: { type: 'deploy.done', payload: { by: 'hand' } } });
  await ask('POST', '/api/events', { status: 202, body: { type: 'deploy.done', payload: { to: 'staging' } } });
  const pushed = '{"ref":"main"}';
  const signature = `sha256=${createHmac('sha256', 'quietly-does-it').update(pushed).digest('hex')}`;
  const signed = { body: pushed, headers: { ...json, 'x-hub-signature-256': signature } };
  await ask('POST', '/hooks/push', { status: 202, ...signed });
  await ask('POST', '/hooks/push', { status: 200, ...signed });
  await ask('POST', '/hooks/push', { status: 401, body: pushed });
  for (const name of ['nightly', 'pushed', 'shipped']) await ask('DELETE', `/api/triggers/${name}`);
  await ask('GET', '/api/triggers/nightly', { status: 404 });
  const of = `/api/runs/${fired.run_id}`;
  const asked = await ask('POST', `${of}/questions`, { status: 202, body: { question: 'Deploy?', choices: ['yes', 'no'] } });
  await ask('GET', '/api/inbox?all=true');
  assert.equal((await ask('GET', `/api/inbox/${asked.id}?wait=1ms`)).state, 'open');
  await ask('POST', `/api/inbox/${asked.id}/answer`, { body: { choice: 'yes' } });
  await ask('POST', `/api/inbox/${asked.id}/answer`, { status: 409, body: { choice: 'no' } });
  for (const end of ['dismiss', 'withdraw']) {
    const other = await ask('POST', `${of}/questions`, { status: 202, body: { question: 'Anything?', timeout: 'never' } });
    await ask('POST', `/api/inbox/${other.id}/${end}`, { body: {} });
  }
  await ask('POST', `${of}/reports`, { status: 202, body: { type: 'output', summary: 'done', data: { files: 42 } } });
  await ask('GET', '/api/inbox/question_nothing', { status: 404 });
  assert.equal((await ask('GET', '/api/memory/app%2Ftidy')).text, '');
  const remembered = await ask('PUT', '/api/memory/app%2Ftidy', { body: { text: '# one' } });
  await ask('PUT', '/api/memory/app%2Ftidy', { body: { text: '# two', revision: remembered.revision } });
  await ask('PUT', '/api/memory/app%2Ftidy', { status: 409, body: { text: '# three', revision: remembered.revision } });
  const { versions } = await ask('GET', '/api/memory/app%2Ftidy/log');
  assert.equal((await ask('GET', `/api/memory/app%2Ftidy?version=${versions[0].version}`)).text, '# one');
  assert.deepEqual((await ask('GET', '/api/memory')).memories, ['app/tidy']);
  await ask('GET', '/api/followers');
  await ask('POST', '/api/followers/nobody/resume', { status: 404 });
  await ask('POST', '/api/followers/nobody/skip', { status: 404 });
  await ask('GET', '/api/status');
  await ask('GET', '/healthz');
  await ask('GET', '/readyz');
  await ask('POST', '/api/probe', { body: {} });
  await ask('GET', '/metrics');
  const described = await ask('GET', '/openapi.json');
  await ask('GET', '/api/runs/nothing', { status: 404 });
  await ask('GET', '/_ref/runs/@last', { status: 404 });
  assert.match(await ask('GET', '/'), /openapi\.json/);

  const made = await ask('POST', '/api/tokens', { status: 201, body: { can: ['read'], ttl: '1h', scope: 'app' } });
  await ask('GET', '/api/tokens');
  await ask('DELETE', `/api/tokens/${made.token_id}`);
  const { link } = await ask('POST', '/api/ui', { body: {} });
  await ask('GET', '/login?code=0', { status: 401 });
  // The proxy would follow the redirect, and validate its target's answer instead.
  assert.equal((await fetch(link, { redirect: 'manual' })).status, 303);
  await ask('POST', '/api/logout', { body: {} });
  const pid = await flock.daemon();
  await ask('POST', '/api/stop', { status: 202, body: {} });
  await flock.gone(pid);
  await flock.daemon();

  for (const [path, methods] of Object.entries(described.paths)) {
    const form = new RegExp(`^${path.replace(/\{[^}]*\}/g, '[^/]+')}$`);
    for (const method of Object.keys(methods)) {
      const visited = [...seen].some((one) => {
        const [how, where] = one.split(' ');
        return how === method.toUpperCase() && form.test(where);
      });
      assert.ok(visited, `${method} ${path} is not in the tour`);
    }
  }
});

// R12: an EventSource gets every event once, in order, although the daemon is killed repeatedly.
test('an EventSource resumes across restarts without gap or double', async () => {
  const rounds = 4;
  const each = 25;
  const events = [];
  let told;
  const source = new EventSource(`${flock.url}/api/events?follow=true&after=0`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...bearer } }),
  });
  for (const type of ['run.queued', 'run.starting', 'run.started', 'run.completed']) {
    source.addEventListener(type, (event) => {
      events.push({ id: event.lastEventId, ...JSON.parse(event.data) });
      told?.();
    });
  }
  const ids = [];
  const allSeen = () => {
    const ended = new Set(events.filter((e) => e.type === 'run.completed').map((e) => e.run_id));
    return ids.every((id) => ended.has(id));
  };
  for (let round = 0; round < rounds; ++round) {
    for (let i = 0; i < each; ++i) ids.push((await flock.drover('run', '-d', '--', 'true')).trim());
    await flock.kill();
    await flock.daemon();
  }
  while (!allSeen()) await new Promise((resolve) => (told = resolve));
  source.close();

  const { text } = await flock.ask('GET', '/api/events?limit=1000');
  const types = new Set(events.map((e) => e.type));
  const truth = JSON.parse(text).events.filter((e) => types.has(e.type));
  assert.equal(new Set(events.map((e) => e.id)).size, events.length, 'an event was sent twice');
  assert.deepEqual(events.map((e) => e.seq), truth.map((e) => e.seq).slice(0, events.length));
  assert.equal(execFileSync('drover', ['doctor', '--verify'], { env: flock.env }).length > 0, true);
});

// R15: a trace continues from the caller through a run into a run that it starts. A failed launch
// is in the daemon's log as a line of JSON with both ids.
test('a trace continues from the caller into nested runs', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const env = { ...flock.env, TRACEPARENT: `00-${trace}-00f067aa0ba902b7-01` };
  const script = 'echo $TRACEPARENT; drover run -- sh -c \'echo $TRACEPARENT\'';
  const out = execFileSync('drover', ['run', '--', 'sh', '-c', script], { env, encoding: 'utf8' });
  const lines = out.trim().split('\n');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  assert.notEqual(lines[0], lines[1]);

  const failed = spawnSync('drover', ['run', '--', '/nothing/there'], { env, encoding: 'utf8' });
  assert.equal(failed.status, 127);
  const log = readFileSync(join(flock.home, 'state', 'droverd.log'), 'utf8').trim().split('\n');
  const told = log.map((line) => JSON.parse(line)).filter((line) => line.trace_id === trace);
  assert.equal(told.length, 1);
  assert.match(told[0].run_id, /^run_/);
  assert.match(told[0].message, /^launch_failed: /);
});
