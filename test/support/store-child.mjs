/**
 * A process that holds a store or a key, for tests that kill it. Arguments: what to do, with what.
 * It says one line for each thing that happened, with a synchronous write.
 */
import { writeSync } from 'node:fs';
import { emptyBatch } from '../../dist/src/store/base/batch.js';
import { lockKey } from '../../dist/src/store/durability/lock.js';
import { openStore } from '../../dist/src/store/open.js';

const ALICE = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const STAMP = {
  chainId: 31_337n,
  tokenNetworkRegistry: '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9',
  ownAddress: ALICE,
};
const ROWS = 20;
const hash = (value) => `0x${value.toString(16).padStart(64, '0')}`;
const numbers = (turn) => Array.from({ length: ROWS }, (_, index) => turn * ROWS + index);

function say(line) {
  writeSync(1, `${line}\n`);
}

function stay() {
  setInterval(() => {}, 60_000);
}

/** Batch number `turn` touches every table that grows, so that a torn one would show. */
function batch(turn) {
  const state = JSON.stringify({ turn, filler: hash(turn).repeat(20) });
  const facts = { token: ALICE, tokenNetwork: ALICE, secrethash: hash(turn), target: ALICE };
  const payment = { amount: 1n, paymentId: BigInt(turn), channel: 'channel:1', ...facts };
  return {
    ...emptyBatch(),
    actors: [{ id: 'counter', kind: 'counter', version: 1, state }],
    retired: [`initiator:${hash(turn)}`],
    ended: [`initiator:${hash(turn)}`],
    outbox: numbers(turn).map((n) => ({
      key: `${n}`,
      queue: null,
      recipient: ALICE,
      messageId: BigInt(n),
      nonce: null,
      givers: [],
      body: state,
    })),
    outboxDone: numbers(turn - 1).map((n) => `${n}`),
    proofs: [
      {
        type: 'record.proof',
        channel: 'channel:1',
        side: 'own',
        nonce: BigInt(turn),
        transferredAmount: 0n,
        lockedAmount: 0n,
        locksroot: hash(0),
        changes: [],
        balanceHash: hash(turn),
        additionalHash: null,
        signature: null,
      },
    ],
    channels: [{ id: 'channel:1', token: ALICE, partner: ALICE, openBlock: 1n }],
    payments: [{ type: 'record.paymentSent', ...payment }],
    journal: [
      {
        kind: 'event',
        actor: 'counter',
        cause: 'test',
        causedBy: null,
        event: '{}',
        state: 'on',
        version: 1,
        block: BigInt(turn),
        time: turn,
      },
    ],
    cursor: { block: BigInt(turn), hash: hash(turn) },
    time: turn,
    block: BigInt(turn),
  };
}

function open(url) {
  const opened = openStore({ url, stamp: STAMP });
  say(opened.ok ? 'open' : opened.problem);
  return opened.ok ? opened.store : null;
}

const [what, where, name] = process.argv.slice(2);
if (what === 'hold' && open(where) !== null) stay();
if (what === 'key') {
  const lock = lockKey({ folder: where, name });
  say(lock.ok ? 'locked' : 'in_use');
  if (lock.ok) stay();
}
if (what === 'commit') {
  const store = open(where);
  for (let turn = Number(store?.cursor()?.block ?? 0n) + 1; store !== null; turn++) {
    store.commit(batch(turn));
    say(turn);
  }
}
