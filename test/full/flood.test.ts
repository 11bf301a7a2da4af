/** A stranger on the broker floods a node with junk of every kind while it pays. */
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { connectNats, subjectOf } from '../../src/partner/nats.ts';
import { presenceOf } from '../../src/partner/nats-listener.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { KINDS, type Kind, payloadsOf, type Victim } from '../bench/flood-kinds.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';

const PAYMENTS = 6;
const CALLERS = 4;
const BYTES_AT_ONCE = 100_000;

let world: World;
let pair: Pair;
let victim: Victim;
let stranger: NatsConnection;
const begun = performance.now();

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n);
  await pair.open();
  await pair.meet();
  stranger = await connect({ servers: world.natsUrl });
  victim = await victimOf();
});
afterAll(async () => {
  await stranger?.close();
  await world?.stop();
});

const place = () => ({
  chainId: world.chain.chainId,
  tokenNetworkRegistry: world.contracts.tokenNetworkRegistryAddress,
});

/** Alice, and what bob has sent to her for one payment. */
async function victimOf(): Promise<Victim> {
  const { alice, bob } = pair.address;
  const asking = connectNats({
    ...place(),
    url: world.natsUrl,
    address: `0x${'01'.repeat(20)}`,
    sign: null,
    recover,
  });
  await until(() => asking.isConnected(), 'the stranger is connected');
  const keyOf = async (address: Address) => {
    const seen = await asking.presence(address);
    if (seen.state !== 'reachable') throw new Error('the node is there');
    return seen.publicKey;
  };
  const keys = { publicKey: await keyOf(alice), partnerKey: await keyOf(bob) };
  await asking.close();
  const recorded: Uint8Array[] = [];
  const callback = (_error: Error | null, { data }: { data: Uint8Array }) =>
    void recorded.push(data.slice());
  const heard = stranger.subscribe(subjectOf(place(), alice), { callback });
  await stranger.flush();
  expect((await pair.pay('alice', 1n)).status).toBe(200);
  await until(() => recorded.length > 0, 'bob has answered');
  heard.unsubscribe();
  return { ...keys, place: place(), address: alice, recorded };
}

/** As fast as the broker takes it, a part at a time, until `isOver`. */
async function flood(kind: Kind, isOver: () => boolean): Promise<void> {
  const subject = subjectOf(place(), victim.address);
  const payloads = payloadsOf(kind, victim);
  const isQuestion = kind === 'presence questions';
  for (let at = 0; !isOver(); ) {
    for (let bytes = 0; bytes < BYTES_AT_ONCE; at++) {
      const payload = payloads[at % payloads.length] ?? new Uint8Array();
      if (isQuestion) stranger.publish(presenceOf(subject), payload, { reply: '_INBOX.stranger' });
      else stranger.publish(subject, payload);
      bytes += payload.length + subject.length;
    }
    await stranger.flush();
  }
}

async function payMany(): Promise<number[]> {
  const statuses: number[] = [];
  async function payOn() {
    while (statuses.length < PAYMENTS) statuses.push((await pair.pay('alice', 1n)).status);
  }
  await Promise.all(Array.from({ length: CALLERS }, payOn));
  return statuses;
}

describe('a node that is flooded by a stranger', () => {
  it.each(KINDS)('goes on paying: %s', async (kind) => {
    let isOver = false;
    const flooding = flood(kind, () => isOver);
    const statuses = await payMany();
    isOver = true;
    await flooding;
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('has written few log lines about the flood, and agrees with its partner', async () => {
    await pair.expectAgreement();
    const said = pair.nodes.alice.output.filter((line) => line.includes('was refused'));
    expect(said.length).toBeGreaterThan(0);
    // Of each kind a line when it begins, and one a minute.
    const minutes = Math.ceil((performance.now() - begun) / 60_000);
    expect(said.length).toBeLessThan((1 + minutes) * KINDS.length);
  });
});
