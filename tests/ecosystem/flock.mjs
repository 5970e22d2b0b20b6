// A Drover for one test: a home in a temporary directory and a real daemon, which also listens on
// TCP for programs without unix sockets. `close` leaves no process and no file behind.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export class Flock {
  constructor() {
    this.home = mkdtempSync(join(tmpdir(), 'drover-eco-'));
    this.env = { ...process.env, DROVER_HOME: this.home };
    delete this.env.DROVER_RUN_ID;
    this.socket = join(this.home, 'run', 'drover.sock');
  }

  async drover(...words) {
    return (await execute('drover', words, { env: this.env })).stdout;
  }

  async daemon() {
    return JSON.parse(await this.drover('status', '--json')).pid;
  }

  // kill -9; the next command starts another daemon.
  async kill() {
    const pid = await this.daemon();
    process.kill(pid, 'SIGKILL');
    await this.gone(pid);
  }

  async gone(pid) {
    for (;;) {
      try {
        process.kill(pid, 0);
      } catch {
        return;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  // One request on the unix socket.
  ask(method, path, { body, headers = {} } = {}) {
    return new Promise((resolve, reject) => {
      const request = http.request({ socketPath: this.socket, method, path, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (piece) => (text += piece));
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  // From now on every daemon of this home listens on this port.
  async listen() {
    this.url = `http://127.0.0.1:${await freePort()}`;
    this.env.DROVER_LISTEN = this.url.slice('http://'.length);
    await this.daemon();
  }

  // The owner's token.
  async token() {
    return readFileSync(join(this.home, 'state', 'owner.token'), 'utf8').trim();
  }

  async close() {
    await this.daemon();  // A stop that left its runs alive is not the last word.
    await this.drover('stop', '--kill');
    rmSync(this.home, { recursive: true, force: true });
  }
}

// Prism, a proxy before the daemon, validates every request and every answer against the
// description.
export class Proxy {
  static async start(description, upstream, port) {
    const proxy = new Proxy();
    proxy.url = `http://127.0.0.1:${port}`;
    proxy.process = spawn(
      process.execPath,
      ['node_modules/.bin/prism', 'proxy', description, upstream, '--errors', '-p', String(port), '-h', '127.0.0.1'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    await new Promise((resolve, reject) => {
      const listen = (piece) => {
        said += piece;
        if (said.includes('Prism is listening')) resolve();
      };
      proxy.process.stdout.on('data', listen);
      proxy.process.stderr.on('data', listen);
      proxy.process.on('exit', (code) => reject(new Error(`prism left with ${code}: ${said}`)));
    });
    proxy.process.removeAllListeners('exit');
    return proxy;
  }

  close() {
    this.process.kill();
  }
}

// A free port outside of the range for outgoing connections: while the daemon is away, a client
// that connects to a port of that range could connect to itself.
export async function freePort() {
  for (;;) {
    const port = 10000 + Math.floor(Math.random() * 20000);
    const server = net.createServer();
    const free = await new Promise((resolve) => {
      server.on('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
