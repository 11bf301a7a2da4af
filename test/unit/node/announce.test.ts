import { describe, expect, it } from 'vitest';
import { fromHex, type Hex, ZERO_HASH } from '../../../src/basics/hex.ts';
import { timestampOf } from '../../../src/node/messaging/timestamp.ts';
import { updateDigest } from '../../../src/protocol/channel/balance-proof.ts';
import { DEFAULT_FEE_TERMS, scheduleOf } from '../../../src/protocol/fees/fee-terms.ts';
import { monitoringDigests } from '../../../src/protocol/services/monitoring-request.ts';
import type { SignedServiceMessage } from '../../../src/protocol/services/service-message-types.ts';
import { serviceMessageDigest } from '../../../src/protocol/services/service-messages.ts';
import { recover } from '../../../src/signer/ecdsa.ts';
import { announcing, REWARD } from '../../support/announcing.ts';
import {
  addLock,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  unlock,
  withEnds,
} from '../../support/channel-makers.ts';
import {
  CHANNEL,
  closed,
  deposited,
  OWN,
  PARTNER,
  SIGNATURE,
  STRANGER,
  TOKEN,
} from '../../support/makers.ts';

const OTHER = `${CHANNEL}0`;

/** A channel in which this node has sent that much in nonces before. */
const moved = (amount: bigint, nonce: bigint) =>
  withEnds(openChannel(), { own: { transferred: amount, nonce } });
/** A channel with a balance proof of the partner. */
function protectedChannel(nonces = 1) {
  let partner = partnersChannel({});
  let own = openChannel();
  for (let n = 1; n <= nonces; n++) {
    partner = partner.tell(partnersLock({ n }));
    own = own.tell(received(partner));
  }
  return own;
}

function typesOf(messages: readonly SignedServiceMessage[]) {
  return messages.map(({ message }) => message.type);
}

function signersOf(messages: readonly SignedServiceMessage[]) {
  return messages.map(({ message, signature }) =>
    recover(serviceMessageDigest(message), fromHex(signature)),
  );
}

/** What the updates say that the announcing node can send. */
function capacitiesOf(messages: readonly SignedServiceMessage[]) {
  return messages.flatMap(({ message }) =>
    message.type === 'PFSCapacityUpdate' ? [message.updatingCapacity] : [],
  );
}

describe('a node that begins', () => {
  it('tells the capacities and fees of its open channels, signed', async () => {
    const { announcements, heard } = announcing({ channels: { [CHANNEL]: moved(30n, 4n) } });
    announcements.begin();
    const messages = heard('pathfinding');
    expect(messages.map(({ message }) => message)).toEqual([
      {
        type: 'PFSCapacityUpdate',
        chainId: 1n,
        tokenNetwork: expect.any(String),
        channelId: 1n,
        updatingParticipant: OWN,
        otherParticipant: PARTNER,
        updatingNonce: 4n,
        otherNonce: 0n,
        updatingCapacity: 70n,
        otherCapacity: 130n,
        revealTimeout: 10n,
      },
      expect.objectContaining({
        type: 'PFSFeeUpdate',
        updatingParticipant: OWN,
        schedule: scheduleOf(DEFAULT_FEE_TERMS, 200n),
        timestamp: timestampOf(1_000),
      }),
    ]);
    expect(signersOf(messages)).toEqual([OWN, OWN]);
  });

  it('charges for a token what it was told to charge for it', () => {
    const terms = { ...DEFAULT_FEE_TERMS, flat: 7n, imbalance: 0n, capFees: false };
    const fees = { byToken: new Map([[TOKEN, terms]]), others: DEFAULT_FEE_TERMS };
    const { announcements, heard } = announcing({ fees, channels: { [CHANNEL]: openChannel() } });
    announcements.begin();
    expect(heard('pathfinding')[1]?.message).toMatchObject({
      schedule: { flat: 3n, proportional: 1_996n, imbalancePenalty: null, capFees: false },
    });
  });

  it('says nothing of channels that take no payments', () => {
    const channel = openChannel().tell(closed(PARTNER));
    const { announcements, heard } = announcing({ channels: { [CHANNEL]: channel } });
    announcements.begin();
    expect(heard('pathfinding')).toEqual([]);
  });

  it('tells of thousands of channels one after the other', async () => {
    const many = Array.from({ length: 250 }, (_, at) => [`channel:${at}`, openChannel()] as const);
    const { announcements, heard, advance } = announcing({ channels: Object.fromEntries(many) });
    announcements.begin();
    expect(capacitiesOf(heard('pathfinding'))).toHaveLength(100);
    await advance(200);
    expect(capacitiesOf(heard('pathfinding'))).toHaveLength(150);
  });
});

describe('a payment', () => {
  it('is announced at once, and those that follow it share one update', async () => {
    const { announcements, commit, heard, advance } = announcing({
      channels: { [CHANNEL]: openChannel() },
    });
    announcements.begin();
    await advance(1_000);
    heard('pathfinding');
    for (let nonce = 1n; nonce <= 50n; nonce++) commit(CHANNEL, moved(nonce, nonce));
    const first = heard('pathfinding');
    expect(typesOf(first)).toEqual(['PFSCapacityUpdate']);
    expect(capacitiesOf(first)).toEqual([99n]);
    await advance(200);
    expect(heard('pathfinding')).toEqual([]);
    await advance(100);
    expect(capacitiesOf(heard('pathfinding'))).toEqual([50n]);
    await advance(1_000);
    expect(heard('pathfinding')).toEqual([]);
  });

  it('through one channel does not delay the announcement of another', () => {
    const { commit, heard } = announcing();
    commit(CHANNEL, moved(1n, 1n));
    commit(OTHER, moved(2n, 1n));
    expect(capacitiesOf(heard('pathfinding'))).toEqual([99n, 98n]);
  });

  it('is announced although the clock was set back', () => {
    const { world, commit, heard } = announcing();
    commit(CHANNEL, moved(1n, 1n));
    world.now -= 900;
    commit(CHANNEL, moved(2n, 2n));
    expect(capacitiesOf(heard('pathfinding'))).toEqual([99n, 98n]);
  });

  it('that does not change what can be sent is not announced', async () => {
    const { commit, heard, advance } = announcing();
    commit(CHANNEL, moved(1n, 1n));
    heard('pathfinding');
    await advance(1_000);
    commit(CHANNEL, moved(1n, 2n));
    expect(heard('pathfinding')).toEqual([]);
  });
});

describe('a deposit', () => {
  it('changes the fees too, at a later time than before', async () => {
    const { world, commit, heard, advance } = announcing();
    commit(CHANNEL, openChannel());
    heard('pathfinding');
    await advance(500);
    world.now = 600;
    commit(CHANNEL, openChannel().tell(deposited(PARTNER, 300n)));
    const [capacity, fee] = heard('pathfinding');
    expect(capacity?.message).toMatchObject({ updatingCapacity: 100n, otherCapacity: 300n });
    expect(fee?.message).toMatchObject({
      schedule: scheduleOf(DEFAULT_FEE_TERMS, 400n),
      timestamp: timestampOf(1_001),
    });
  });
});

describe('a node that is behind the chain', () => {
  it('keeps what it has to say until it is ready', async () => {
    const { world, announcements, commit, heard, advance } = announcing();
    announcements.begin();
    world.node = 'syncing';
    commit(CHANNEL, moved(1n, 1n));
    await advance(500);
    expect(heard('pathfinding')).toEqual([]);
    world.node = 'ready';
    await advance(100);
    expect(capacitiesOf(heard('pathfinding'))).toEqual([99n]);
  });

  it('never announces a channel whose close it learns of', async () => {
    const { world, announcements, commit, heard, advance } = announcing({
      channels: { [CHANNEL]: openChannel() },
    });
    announcements.begin();
    heard('pathfinding');
    world.node = 'syncing';
    commit(CHANNEL, openChannel().tell(closed(PARTNER)));
    world.node = 'ready';
    await advance(300_000);
    expect(heard('pathfinding')).toEqual([]);
  });
});

describe('a node that cannot be heard', () => {
  it('announces nothing, and everything as soon as it can', () => {
    const { world, announcements, commit, heard } = announcing({ isMonitored: true });
    world.maySpeak = false;
    commit(CHANNEL, protectedChannel());
    expect(heard()).toEqual([]);
    world.maySpeak = true;
    announcements.begin();
    expect(typesOf(heard())).toEqual(['RequestMonitoring', 'PFSCapacityUpdate', 'PFSFeeUpdate']);
  });

  it('announces everything again after it was away', () => {
    const { announcements, commit, heard } = announcing({ isMonitored: true });
    announcements.begin();
    commit(CHANNEL, protectedChannel());
    heard('monitoring');
    announcements.begin();
    expect(heard('monitoring')).toHaveLength(1);
  });
});

it('a node repeats its announcements for a service that asks, but limits how often', async () => {
  const { world, announcements, heard, advance } = announcing({
    channels: { [CHANNEL]: openChannel() },
  });
  announcements.begin();
  await advance(1_000);
  heard('pathfinding');
  world.hello();
  await advance(1_000);
  expect(typesOf(heard('pathfinding'))).toEqual(['PFSCapacityUpdate', 'PFSFeeUpdate']);
  world.hello();
  await advance(3_000);
  expect(heard('pathfinding')).toEqual([]);
  await advance(3_000);
  expect(typesOf(heard('pathfinding'))).toEqual(['PFSCapacityUpdate', 'PFSFeeUpdate']);
});

it('a node repeats its requests to monitoring services when a service comes later', async () => {
  const { world, announcements, heard, advance } = announcing({
    isMonitored: true,
    channels: { [CHANNEL]: protectedChannel() },
  });
  announcements.begin();
  await advance(1_000);
  heard('monitoring');
  world.hello();
  await advance(1_000);
  expect(typesOf(heard('monitoring'))).toEqual(['RequestMonitoring']);
});

it('a node repeats its announcements every few minutes, for services that did not hear them', async () => {
  const { announcements, heard, advance } = announcing({ channels: { [CHANNEL]: openChannel() } });
  announcements.begin();
  heard('pathfinding');
  await advance(170_000);
  expect(heard('pathfinding')).toEqual([]);
  await advance(11_000);
  const again = heard('pathfinding');
  expect(typesOf(again)).toEqual(['PFSCapacityUpdate', 'PFSFeeUpdate']);
  announcements.end();
  await advance(400_000);
  expect(heard('pathfinding')).toEqual([]);
});

describe('a balance proof of the partner', () => {
  it('is shown to monitoring services with three signatures', () => {
    const { commit, heard } = announcing({ isMonitored: true });
    commit(CHANNEL, protectedChannel());
    const [request] = heard('monitoring');
    if (request?.message.type !== 'RequestMonitoring') throw new Error('there is no request');
    const { message } = request;
    expect(message).toMatchObject({
      proof: {
        chainId: 1n,
        channelId: 1n,
        nonce: 1n,
        balanceHash: expect.not.stringMatching(ZERO_HASH),
      },
      proofSignature: SIGNATURE,
      nonClosingParticipant: OWN,
      rewardAmount: REWARD,
      monitoringService: STRANGER,
    });
    expect(monitoringDigests(message).update).toEqual(updateDigest(message.proof, SIGNATURE));
    const signerOf = (digest: Uint8Array, signature: Hex) => recover(digest, fromHex(signature));
    expect(signerOf(monitoringDigests(message).update, message.nonClosingSignature)).toBe(OWN);
    expect(signersOf([request])).toEqual([OWN]);
  });

  it('is shown once, and again only when it is a newer one', () => {
    const { commit, heard } = announcing({ isMonitored: true });
    for (const nonces of [1, 1, 2]) commit(CHANNEL, protectedChannel(nonces));
    const nonces = heard('monitoring').map(({ message }) =>
      message.type === 'RequestMonitoring' ? message.proof.nonce : null,
    );
    expect(nonces).toEqual([1n, 2n]);
  });

  it('is not there, and nothing is shown, when only this node has paid', () => {
    const { commit, heard } = announcing({ isMonitored: true });
    commit(CHANNEL, openChannel().tell(addLock(), unlock()));
    expect(heard('monitoring')).toEqual([]);
  });

  it.each([{ isMonitored: false }, { isMonitored: true, monitoringService: null }])(
    'is not shown when the node asks for no monitoring: %o',
    (parts) => {
      const { announcements, commit, heard } = announcing(parts);
      announcements.begin();
      commit(CHANNEL, protectedChannel());
      expect(heard('monitoring')).toEqual([]);
    },
  );

  it('is not shown while the reward is not covered, and as soon as it is', async () => {
    const { world, announcements, commit, heard, advance, logged } = announcing({
      isMonitored: true,
    });
    world.deposit = REWARD - 1n;
    announcements.begin();
    await advance(100);
    commit(CHANNEL, protectedChannel());
    await advance(60_000);
    expect(heard('monitoring')).toEqual([]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('does not cover');
    world.deposit = REWARD;
    await advance(5_000);
    expect(heard('monitoring')).toHaveLength(1);
  });

  it('is shown as long as nobody knows what the user deposit holds', async () => {
    const { world, announcements, commit, heard, advance } = announcing({ isMonitored: true });
    world.deposit = null;
    announcements.begin();
    await advance(10_000);
    commit(CHANNEL, protectedChannel());
    expect(heard('monitoring')).toHaveLength(1);
  });
});
