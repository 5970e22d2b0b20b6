// Serves the bytes of a file from memory, on a free port of loopback, which it prints: node http.cjs FILE
const { createServer } = require('node:http');
const { readFileSync } = require('node:fs');

const body = readFileSync(process.argv[2]);
const headers = { 'content-type': 'application/json', 'content-length': body.length };
const server = createServer((request, answer) => {
  answer.writeHead(200, headers);
  answer.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
