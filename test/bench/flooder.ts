/** A stranger in a process of its own who writes the same bytes to a NATS server again and again, at a given rate. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const [port, rate, file] = process.argv.slice(2);
const commands = readFileSync(file ?? '');
const bytesPerMs = Number(rate) / 1_000;
/** With so many bytes waiting for a server that does not keep up, no more are written. */
const MOST_WAITING = 4_194_304;
const PAUSE_MS = 5;

const socket = connect(Number(port), '127.0.0.1');
socket.resume();
socket.write('CONNECT {"verbose":false,"pedantic":false}\r\n');

let at = 0;
let written = 0;
function write(count: number): void {
  for (let left = count; left > 0; ) {
    const part = commands.subarray(at, at + left);
    socket.write(part);
    left -= part.length;
    at = (at + part.length) % commands.length;
  }
  written += count;
}

process.once('SIGTERM', () => {
  process.stdout.write(String(written - socket.writableLength));
  process.exit();
});

const begin = performance.now();
let offered = 0;
for (;;) {
  const due = Math.floor((performance.now() - begin) * bytesPerMs) - offered;
  offered += due;
  if (socket.writableLength < MOST_WAITING) write(due);
  await delay(PAUSE_MS);
}
