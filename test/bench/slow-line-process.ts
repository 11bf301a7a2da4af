/**
 * A slow line to a NATS server, as a process of its own: what clients and server say arrives so many milliseconds later,
 * in order, at any rate; and of the payloads with messages that each client publishes every so manieth is lost.
 *
 * Argument: the server's port. It prints its own, and reads orders from its input, one a line: `DELAY_MS LOSE_EVERY`
 * (0: nothing is lost). It ends with its input.
 */
import { createServer, connect as dial, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { carriesMessages, createCommandReader } from './nats-commands.ts';

const server = Number(process.argv[2]);
let delayMs = 0;
let loseEvery = 0;
/** A timer is late by half a millisecond in the middle, and each payment passes four: what is so near leaves before it. */
const CLOSE_MS = 0.5;

/** Hands on what it takes, later. */
function createDelay(handOn: (bytes: Buffer) => void) {
  const waiting: { due: number; bytes: Buffer }[] = [];
  let isAwake = false;
  function work(): void {
    isAwake = false;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const left = next.due - performance.now();
      if (left > CLOSE_MS) {
        isAwake = true;
        setTimeout(work, left);
        return;
      }
      waiting.shift();
      handOn(next.bytes);
    }
  }
  return (bytes: Buffer): void => {
    waiting.push({ due: performance.now() + delayMs, bytes });
    if (!isAwake) work();
  };
}

/** Passes on to the server what one client says, without what is lost. */
function createLoss(handOn: (bytes: Buffer) => void) {
  let payloads = 0;
  return createCommandReader((command) => {
    if (loseEvery > 0 && carriesMessages(command)) {
      payloads = (payloads + 1) % loseEvery;
      if (payloads === 0) return;
    }
    handOn(command);
  });
}

function join(client: Socket): void {
  const upstream = dial({ port: server, host: '127.0.0.1', noDelay: true });
  client.on('data', createLoss(createDelay((bytes) => void upstream.write(bytes))));
  upstream.on(
    'data',
    createDelay((bytes) => void client.write(bytes)),
  );
  for (const socket of [client, upstream]) {
    socket.on('error', () => {});
    socket.on('close', () => {
      client.destroy();
      upstream.destroy();
    });
  }
}

const listening = createServer({ noDelay: true }, join).listen(0, '127.0.0.1', () => {
  const address = listening.address();
  if (typeof address === 'object' && address !== null) console.log(address.port);
});
const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => {
  [delayMs = 0, loseEvery = 0] = line.split(' ').map(Number);
});
orders.on('close', () => process.exit());
