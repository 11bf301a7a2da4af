/** What a partner who holds a key and has a channel may say to a node to keep it busy, for each type of message. */

import { randomBytes } from 'node:crypto';
import { type Address, type Secret, toHex, ZERO_HASH } from '../../src/basics/hex.ts';
import type { PartnerProof } from '../../src/protocol/channel/balance-proof.ts';
import { EMPTY_SIGNATURE } from '../../src/protocol/channel/balance-proof.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import {
  type Change,
  type LockChange,
  MAX_CHANGES,
  MAX_METADATA_BYTES,
} from '../../src/protocol/messages/changes.ts';
import { encodeMessage } from '../../src/protocol/messages/message-codec.ts';
import type { ContractMessage, PlainMessage } from '../../src/protocol/messages/table.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { SEAL_BYTES } from '../../src/protocol/wire/envelope.ts';
import { BATCH_LIMIT, MAX_LINE_BYTES, MAX_LINE_DEPTH } from '../../src/protocol/wire/lines.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { sentBy } from '../support/sealed.ts';
import type { Participant } from '../support/stranger.ts';

/** Who takes part. Of the node, `own` is the address. */
export type Scene = {
  own: Address;
  token: Address;
  payer: Participant;
  payee: Participant;
  signers: { payer: Signer; payee: Signer };
  /** Somebody whose signatures are good and not those of a partner. */
  forger: Signer;
  /** Of the lock that the payer does not pay. */
  secret: Secret;
  /** What the node locked for a payment of its own to the payee; null: there is none. */
  asked: LockChange | null;
  /** A balance proof of the node that the payee has; null: none. */
  proof: PartnerProof | null;
  headBlock: bigint;
};
export type Kind = {
  name: string;
  by: 'payer' | 'payee';
  /** Messages that wait in the node's outbox for the payee. */
  rows?: number;
  /** The node starts a payment to the payee first. */
  needsPayment?: boolean;
  /** The messages have to follow the lock that is not paid. */
  isAfterLock?: boolean;
  /** One line after the other; in most kinds without end. */
  lines(scene: Scene): Generator<string>;
};

const FAR_AWAY = 1_000_000n;
const LOCK_TIMEOUT = 300n;
const ROWS = 200;
/** So much of a line is needed for what is no list in it. */
const REST_BYTES = 1_500;

const drawHash = () => toHex(randomBytes(32));
const drawId = () => randomBytes(8).readBigUInt64BE();

/** As many lists as so many bytes can hold, nested as deep as they may be inside of a field of a message. */
function nested(bytes: number): string {
  const depth = MAX_LINE_DEPTH - 3;
  const chain = '['.repeat(depth) + ']'.repeat(depth);
  return `[${Array.from({ length: Math.floor(bytes / (chain.length + 1)) }, () => chain).join(',')}]`;
}
const FULL_METADATA = `{"x":${nested(MAX_METADATA_BYTES - 100)}}`;

/** A line that also has a field which no message has. */
const withField = (line: string, value: string) => `${line.slice(0, -1)},"x":${value}}`;

/** Every second one is signed by somebody else. `make`: other messages each time, else nothing new is checked. */
function* signedLines({ signers, forger }: Scene, make: () => ContractMessage): Generator<string> {
  for (;;) {
    yield encodeMessage(sentBy(signers.payer, make()));
    yield encodeMessage(sentBy(forger, make()));
  }
}

function* plainLines(make: () => PlainMessage): Generator<string> {
  for (;;) yield encodeMessage({ message: make(), signature: null });
}

/** The fields of a balance proof that the node has had already: it acknowledges it once more. */
const old = ({ payer }: Scene) => ({ ...payer.envelope(), messageId: drawId(), nonce: 1n });

const update = (scene: Scene, ...changes: Change[]): Update => ({
  type: 'Update',
  ...old(scene),
  changes,
});

function transfer(scene: Scene, metadata = '{}'): LockChange {
  const lock = { amount: 1n, expiration: FAR_AWAY, secrethash: drawHash() };
  const [initiator, target] = [scene.payer.address, scene.payee.address];
  const parties = { recipient: scene.own, token: scene.token, initiator, target };
  return { type: 'lock', ...parties, paymentId: drawId(), lock, metadata };
}

function withdraw({ payer, headBlock }: Scene, participant: Address) {
  const { chainId, tokenNetwork, channelId } = payer.envelope();
  const expiration = headBlock + FAR_AWAY;
  const wanted = { participant, totalWithdraw: 1n, nonce: 1n, expiration };
  return { chainId, tokenNetwork, channelId, messageId: drawId(), ...wanted };
}

function sync({ payee }: Scene, proof: PartnerProof | null): PlainMessage {
  const { chainId, tokenNetwork, channelId } = payee.envelope();
  return {
    type: 'Sync',
    chainId,
    tokenNetwork,
    channelId,
    messageId: drawId(),
    signedNonce: 0n,
    acceptedNonce: proof?.nonce ?? 0n,
    balanceHash: proof?.balanceHash ?? ZERO_HASH,
    additionalHash: proof?.additionalHash ?? ZERO_HASH,
    proofSignature: proof?.signature ?? EMPTY_SIGNATURE,
    answer: true,
  };
}

/** Payments of one unit to the node itself, each with its secret and paid at once. */
function* payments({ payer, own, token, signers, headBlock }: Scene): Generator<string> {
  for (;;) {
    const secret = toHex(randomBytes(32));
    const paymentId = drawId();
    const expiration = headBlock + LOCK_TIMEOUT;
    const lock = { amount: 1n, expiration, secrethash: secrethashOf(secret) };
    const { amount, secrethash } = lock;
    const sealed = payer.sealSecret({ secrethash, paymentId, token }, { secret, amount });
    const metadata = routesMetadata([payer.address, own], sealed);
    const parties = { initiator: payer.address, target: own };
    const given = payer.lockMessage({ paymentId, ...parties, lock, metadata });
    yield encodeMessage(sentBy(signers.payer, given));
    yield encodeMessage(sentBy(signers.payer, payer.unlockMessage({ paymentId, secret })));
  }
}

export const KINDS: readonly Kind[] = [
  // What the node does anyway.
  { name: 'no flood', by: 'payer', *lines() {} },
  {
    name: 'Update, one lock',
    by: 'payer',
    lines: (scene) => signedLines(scene, () => update(scene, transfer(scene))),
  },
  {
    name: 'Update, 64 kB each',
    by: 'payer',
    *lines(scene) {
      const rest = nested(MAX_LINE_BYTES - FULL_METADATA.length - REST_BYTES);
      const make = () => update(scene, transfer(scene, FULL_METADATA));
      for (const line of signedLines(scene, make)) yield withField(line, rest);
    },
  },
  {
    name: 'Update, as many locks as there may be',
    by: 'payer',
    lines: (scene) =>
      signedLines(scene, () =>
        update(scene, ...Array.from({ length: MAX_CHANGES }, () => transfer(scene))),
      ),
  },
  { name: 'Updates, lock and unlock of one unit', by: 'payer', isAfterLock: true, lines: payments },
  {
    name: 'Update, one refund',
    by: 'payer',
    lines: (scene) =>
      signedLines(scene, () => update(scene, { ...transfer(scene), type: 'refund' })),
  },
  {
    name: 'Update, as many expired locks as there may be',
    by: 'payer',
    lines: (scene) =>
      signedLines(scene, () => {
        const expired = () =>
          ({ type: 'expired', recipient: scene.own, secrethash: drawHash() }) as const;
        return update(scene, ...Array.from({ length: MAX_CHANGES }, expired));
      }),
  },
  {
    name: 'Update, as many unlocks as there may be',
    by: 'payer',
    lines: (scene) =>
      signedLines(scene, () => {
        const unlock = () => ({ type: 'unlock', paymentId: drawId(), secret: drawHash() }) as const;
        return update(scene, ...Array.from({ length: MAX_CHANGES }, unlock));
      }),
  },
  {
    name: 'SecretRequest',
    by: 'payee',
    needsPayment: true,
    lines: ({ asked }) =>
      plainLines(() => {
        if (asked === null) throw new Error('the node has locked nothing');
        const { paymentId, token, lock } = asked;
        return { type: 'SecretRequest', messageId: drawId(), paymentId, token, ...lock };
      }),
  },
  {
    name: 'RevealSecret',
    by: 'payee',
    lines: ({ secret }) =>
      plainLines(() => ({ type: 'RevealSecret', messageId: drawId(), secret })),
  },
  {
    name: 'RevealSecret, of nothing',
    by: 'payee',
    lines: () =>
      plainLines(() => ({ type: 'RevealSecret', messageId: drawId(), secret: drawHash() })),
  },
  {
    name: 'Processed',
    by: 'payee',
    lines: () => plainLines(() => ({ type: 'Processed', messageId: drawId() })),
  },
  {
    name: 'Processed, 64 kB each',
    by: 'payee',
    *lines() {
      const rest = nested(MAX_LINE_BYTES - REST_BYTES);
      for (const line of plainLines(() => ({ type: 'Processed', messageId: drawId() })))
        yield withField(line, rest);
    },
  },
  {
    name: 'Delivered',
    by: 'payee',
    lines: () => plainLines(() => ({ type: 'Delivered', deliveredMessageId: drawId() })),
  },
  {
    name: 'WithdrawRequest',
    by: 'payer',
    lines: (scene) =>
      signedLines(scene, () => ({
        type: 'WithdrawRequest',
        ...withdraw(scene, scene.payer.address),
        coopSettle: false,
      })),
  },
  {
    name: 'WithdrawConfirmation',
    by: 'payer',
    lines: (scene) =>
      signedLines(scene, () => ({ type: 'WithdrawConfirmation', ...withdraw(scene, scene.own) })),
  },
  {
    name: 'WithdrawExpired',
    by: 'payer',
    lines: (scene) =>
      plainLines(() => ({ type: 'WithdrawExpired', ...withdraw(scene, scene.payer.address) })),
  },
  {
    name: 'Sync, nothing accepted',
    by: 'payee',
    rows: ROWS,
    lines: (scene) => plainLines(() => sync(scene, null)),
  },
  {
    name: 'Sync, with a proof',
    by: 'payee',
    rows: ROWS,
    lines: (scene) => plainLines(() => sync(scene, scene.proof)),
  },
];

/** The lines as payloads of so many bytes in all. */
export function* payloadsOf(lines: Generator<string>, bytes: number): Generator<Buffer> {
  const most = BATCH_LIMIT.bytes - SEAL_BYTES;
  let left = bytes;
  let payload: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (payload.length === BATCH_LIMIT.lines || length + line.length > most || length >= left) {
      yield Buffer.from(payload.join('\n'));
      left -= length;
      if (left <= 0) return;
      payload = [];
      length = 0;
    }
    payload.push(line);
    length += line.length + 1;
  }
  if (length > 0) yield Buffer.from(payload.join('\n'));
}
