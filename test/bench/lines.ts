/** What a line of the wire costs beside its signature: hashing, writing, sealing; opening, reading. */
import { randomBytes } from 'node:crypto';
import { type Hash, type Secret, toHex } from '../../src/basics/hex.ts';
import { createSealing } from '../../src/node/messaging/sealing.ts';
import type { LockChange } from '../../src/protocol/messages/changes.ts';
import { decodeBatch, encodeMessage } from '../../src/protocol/messages/message-codec.ts';
import { signingDigest } from '../../src/protocol/messages/message-hash.ts';
import type { Processed } from '../../src/protocol/messages/processed.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import { compressedKey } from '../../src/protocol/public-key.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import { addressOfCompressed } from '../../src/signer/ecdsa.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';

const drawn = (): Hash & Secret => toHex(randomBytes(32));
const [own, partner] = [createSigner(randomBytes(32)), createSigner(randomBytes(32))];
const ADDRESS = own.address;

const CHANGE: LockChange = {
  type: 'lock',
  paymentId: 2n ** 61n,
  token: ADDRESS,
  recipient: partner.address,
  target: partner.address,
  initiator: ADDRESS,
  lock: { amount: 10n ** 17n, expiration: 5_000n, secrethash: drawn() },
  metadata: routesMetadata([ADDRESS, ADDRESS, partner.address]),
};
const TRANSFER: Update = {
  type: 'Update',
  chainId: 1n,
  tokenNetwork: ADDRESS,
  channelId: 7n,
  nonce: 1_234n,
  messageId: 2n ** 60n,
  transferredAmount: 10n ** 18n,
  lockedAmount: 10n ** 17n,
  locksroot: drawn(),
  changes: [CHANGE],
};
/** The digest of a message is kept: each gets a message of its own. */
const fresh = (): Update => ({ ...TRANSFER });
const PROCESSED: Processed = { type: 'Processed', messageId: 2n ** 60n };
const signature = own.sign(signingDigest(TRANSFER));

function sealingOf(signer: Signer) {
  return createSealing({
    chainId: 1n,
    tokenNetworkRegistry: ADDRESS,
    own: signer.address,
    publicKey: signer.publicKey,
    sharedSecret: signer.sharedSecret,
    addressOf: addressOfCompressed,
    drawSalt: randomBytes,
    isPartner: () => true,
    now: () => 0,
  });
}

/** `lines` of the two kinds in turn. */
const written = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    n % 2 === 0
      ? encodeMessage({ message: TRANSFER, signature })
      : encodeMessage({ message: PROCESSED, signature: null }),
  );
const text = (count: number) => Buffer.from(written(count).join('\n'));

const sender = sealingOf(own);
sender.learn(partner.address, partner.publicKey);

function sealed(lines: Uint8Array): Uint8Array {
  const payload = sender.seal(partner.address, lines);
  if (payload === null) throw new Error('the recipient has a key');
  return payload;
}

const [alone, many] = [text(1), text(100)];

/** The receiver of `open` takes each payload once: it gets new ones. */
function opening(lines: Uint8Array) {
  const receiver = sealingOf(partner);
  return () => receiver.open(sealed(lines));
}

/** Work by name, each with the number of lines and bytes that it is about. */
export const LINE_WORK: Readonly<Record<string, () => unknown>> = {
  'hash a transfer for its signature': () => signingDigest(fresh()),
  'write a transfer as a line': () => encodeMessage({ message: TRANSFER, signature }),
  'read a transfer': () => decodeBatch(alone),
  'read 100 lines, every other a transfer': () => decodeBatch(many),
  [`seal a payload of ${alone.length} bytes`]: () => sealed(alone),
  [`seal a payload of ${many.length} bytes`]: () => sealed(many),
  [`seal and open a payload of ${alone.length} bytes`]: opening(alone),
  [`seal and open a payload of ${many.length} bytes`]: opening(many),
  'derive the secret shared with a key': () => own.sharedSecret(compressedKey(partner.publicKey)),
};
