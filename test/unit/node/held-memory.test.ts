/** What anybody at the broker can make a node keep in memory while it reads blocks that it has seen. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { noFault } from '../../../src/basics/fault.ts';
import { createAllowance } from '../../../src/node/messaging/allowance.ts';
import { createInbox } from '../../../src/node/messaging/inbox.ts';
import { MAX_PAYLOAD_BYTES } from '../../../src/partner/transport.ts';
import { DEFAULT_FEE_TERMS } from '../../../src/protocol/fees/fee-terms.ts';
import { compressedKey } from '../../../src/protocol/public-key.ts';
import { encodeHeader } from '../../../src/protocol/wire/envelope.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import { sealingOf } from '../../support/sealed.ts';

const PARTNERS = 300;
const MIB = 1_048_576;

it('is no more than what waits for its turn, however many partners it has', () => {
  const place = { chainId: 1n, tokenNetworkRegistry: `0x${'11'.repeat(20)}` } as const;
  const bob = createSigner(Uint8Array.from({ length: 32 }, () => 9));
  const sealing = sealingOf(bob, place, { isPartner: () => true });
  const partners = Array.from({ length: PARTNERS }, () => createSigner(randomBytes(32)));
  for (const { address, publicKey } of partners) sealing.learn(address, publicKey);
  const refused: string[] = [];
  const inbox = createInbox({
    own: bob.address,
    chainId: 1n,
    fault: noFault,
    recover: () => null,
    feesOf: () => DEFAULT_FEE_TERMS,
    mayPayLate: () => true,
    sentIn: () => null,
    keepersOf: () => [],
    claimOf: sealing.claimOf,
    open: sealing.open,
    openSecret: () => null,
    allowance: createAllowance({ isPartner: () => true, now: () => 0 }),
    isPartner: () => true,
    hasChannel: () => true,
    isPressed: () => false,
    // An endpoint that tells new blocks and is slow to show them.
    isReady: () => false,
    isReadySoon: () => true,
    turn() {},
    acknowledge() {},
    onHeard() {},
    onRefused: (reason) => void refused.push(reason),
    now: () => 0,
  });
  for (const { publicKey } of partners) {
    // The stranger knows the partner's public key, and none of its secrets.
    const salt = randomBytes(16);
    const header = encodeHeader({ publicKey: compressedKey(publicKey), salt, counter: 1 });
    const payload = new Uint8Array(MAX_PAYLOAD_BYTES);
    payload.set(header);
    inbox.take(payload);
  }
  const held = PARTNERS - refused.length;
  expect(held).toBeLessThanOrEqual((64 * MIB) / MAX_PAYLOAD_BYTES);
});
