import { describe, expect, it } from 'vitest';
import { iouJson } from '../../../src/node/routing/ious.ts';
import { MAX_PRICE } from '../../../src/node/routing/pathfinding-client.ts';
import { iouDigest } from '../../../src/protocol/services/iou.ts';
import { NETWORK, PARTNER, STRANGER } from '../../support/makers.ts';
import {
  AMOUNT,
  clientOf,
  detailOf,
  NOW,
  ONE_TO_N,
  OWN,
  promised,
  ROUTE,
  request,
  signer,
} from '../../support/pathfinding-client.ts';
import {
  type Asked,
  FEEDBACK_TOKEN,
  found,
  info,
  PAYEE,
  refusing,
  type Script,
} from '../../support/scripted-service.ts';
import { openedStore } from '../../support/store.ts';
import { until } from '../../support/until.ts';

describe('a path-finding service without a price', () => {
  it('is asked for ways to the target, at full precision', async () => {
    const { client, of } = await clientOf({
      paths: () => found([ROUTE, -5n], [[OWN, PARTNER], 7n]),
    });
    expect(await client.find(request)).toEqual({
      ok: true,
      value: [
        { route: ROUTE, estimatedFee: -5n },
        { route: [OWN, PARTNER], estimatedFee: 7n },
      ],
    });
    expect(of('/paths')).toEqual([
      {
        method: 'POST',
        path: `/${NETWORK}/paths`,
        body: { from: OWN, to: PARTNER, value: AMOUNT, max_paths: 3n },
      },
    ]);
  });

  it('may find no route', async () => {
    const { client } = await clientOf({ paths: () => refusing(2201, 404) });
    expect(await client.find(request)).toEqual({ ok: true, value: [] });
  });

  it('may answer with too many routes and with invalid ones, which are left out', async () => {
    const none: [string[], unknown][] = [
      [['0x12', PARTNER], 1n],
      [[OWN, PARTNER], 'free'],
    ];
    const many: [string[], unknown][] = [1n, 2n, 3n].map((fee) => [ROUTE, fee]);
    const { client } = await clientOf({ paths: () => found(...none, ...many) });
    const answer = await client.find(request);
    expect(answer).toEqual({ ok: true, value: [{ route: ROUTE, estimatedFee: 1n }] });
  });

  it.each<[string, Script]>([
    ['hangs up', { paths: () => null }],
    ['answers something else', { paths: () => ({ body: { result: 'none' } }) }],
    ['answers no JSON', { paths: () => ({ body: 'hello' }) }],
    ['answers without end', { paths: () => ({ body: 'x'.repeat(70_000) }) }],
    ['has nothing to say of itself', { info: () => ({ status: 500, body: {} }) }],
    ['is of another chain', { info: () => info(0n, { chain_id: 2n }) }],
    [
      'is of another registry',
      { info: () => info(0n, { token_network_registry_address: STRANGER }) },
    ],
  ])('is no help when it %s', async (_, script) => {
    const { client } = await clientOf(script);
    expect(await client.find(request)).toMatchObject({ ok: false, code: 'no_route' });
  });

  it('is asked for nothing when it serves another chain', async () => {
    const { client, of } = await clientOf({ info: () => info(0n, { chain_id: 2n }) });
    expect(detailOf(await client.find(request))).toContain('chain 2');
    expect(of('/paths')).toEqual([]);
  });

  it('is told once how its ways did, and of no others', async () => {
    const { client, of } = await clientOf({ paths: () => found([ROUTE, 0n]) });
    await client.find(request);
    client.report([OWN, PARTNER], true);
    client.report(ROUTE, false);
    client.report(ROUTE, true);
    await until(() => of('/feedback').length > 0, 'the feedback arrives');
    expect(of('/feedback')).toEqual([
      {
        method: 'POST',
        path: `/${NETWORK}/feedback`,
        body: { token: FEEDBACK_TOKEN, path: ROUTE, success: false },
      },
    ]);
  });
});

describe('a path-finding service with a price', () => {
  const priced = (price: bigint, script: Script = {}): Script => ({
    info: () => info(price),
    paths: () => found([ROUTE, 0n]),
    ...script,
  });

  it('is promised the price of each request, one after the other', async () => {
    const { client, of } = await clientOf(priced(5n));
    const answers = await Promise.all([1, 2, 3].map(() => client.find(request)));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
    const lastBlock = NOW + 200_000n;
    expect(promised(of('/paths'))).toEqual([
      [5n, lastBlock],
      [10n, lastBlock],
      [15n, lastBlock],
    ]);
    // Only before the first promise can the service know more than we do.
    expect(of('/payment/iou')).toHaveLength(1);
  });

  it('is promised more, in the same session, by a process that starts again', async () => {
    const store = openedStore();
    // The first process dies without having read the answer.
    const first = await clientOf(priced(5n, { paths: () => null }), { store });
    expect((await first.client.find(request)).ok).toBe(false);
    const second = await clientOf(priced(5n), { store });
    await second.client.find(request);
    expect(promised([...first.of('/paths'), ...second.of('/paths')])).toEqual([
      [5n, NOW + 200_000n],
      [10n, NOW + 200_000n],
    ]);
  });

  it('is asked first for what another database promised it', async () => {
    const iou = { oneToN: ONE_TO_N, chainId: 1n, sender: OWN, receiver: PAYEE };
    const before = { ...iou, amount: 40n, claimableUntil: 150_000n };
    const signature = signer.sign(iouDigest(before));
    const last = { body: { last_iou: iouJson({ ...before, signature }) } };
    const { client, of } = await clientOf(priced(5n, { iou: () => last }));
    await client.find(request);
    expect(promised(of('/paths'))).toEqual([[45n, 150_000n]]);
  });

  it.each([2103, 2105])('gets a new session when it refuses the old one with %d', async (code) => {
    const { client, of } = await clientOf(
      priced(5n, { paths: (_, count) => (count === 1 ? refusing(code) : found([ROUTE, 0n])) }),
    );
    expect((await client.find(request)).ok).toBe(true);
    const [, second] = promised(of('/paths'));
    expect(second).toEqual([5n, NOW + 200_001n]);
  });

  it('may raise its price, once and not above the limit', async () => {
    const tooLittle = (_: Asked, count: number) =>
      count === 1 ? refusing(2104) : found([ROUTE, 0n]);
    const { client, of } = await clientOf({
      info: (count) => info(count === 1 ? 5n : 8n),
      paths: tooLittle,
    });
    expect((await client.find(request)).ok).toBe(true);
    expect(promised(of('/paths')).map(([amount]) => amount)).toEqual([5n, 8n]);

    const greedy = await clientOf({
      info: (count) => info(count === 1 ? 5n : MAX_PRICE + 1n),
      paths: tooLittle,
    });
    expect(detailOf(await greedy.client.find(request))).toContain(`asks ${MAX_PRICE + 1n}`);
    expect(greedy.of('/paths')).toHaveLength(1);
  });

  it('gets the session that it proves with an earlier IOU of this node', async () => {
    const iou = { oneToN: ONE_TO_N, chainId: 1n, sender: OWN, receiver: PAYEE };
    const other = { ...iou, amount: 40n, claimableUntil: 150_000n };
    const signature = signer.sign(iouDigest(other));
    const store = openedStore();
    const row = { receiver: PAYEE, oneToN: ONE_TO_N, amount: 5n, claimableUntil: 160_000n };
    store.iouSessions.set(row);
    const { client, of } = await clientOf(
      priced(5n, {
        iou: () => ({ body: { last_iou: iouJson({ ...other, signature }) } }),
        paths: (_, count) => (count === 1 ? refusing(2106) : found([ROUTE, 0n])),
      }),
      { store },
    );
    expect((await client.find(request)).ok).toBe(true);
    expect(promised(of('/paths'))).toEqual([
      [10n, 160_000n],
      [45n, 150_000n],
    ]);
  });

  it.each([
    [2102, 'error 2102'],
    [2107, 'user deposit of this node is too small'],
    [2105, 'error 2105'],
  ])('is not asked for ever when it refuses with %d', async (code, text) => {
    const { client, of } = await clientOf(priced(5n, { paths: () => refusing(code) }));
    const answer = await client.find(request);
    expect(detailOf(answer)).toContain(text);
    expect(detailOf(answer)).not.toContain('a text of the service');
    expect(of('/paths').length).toBeLessThanOrEqual(2);
  });

  it('is not asked when it wants more than this node pays', async () => {
    const { client, of } = await clientOf(priced(MAX_PRICE + 1n));
    expect(detailOf(await client.find(request))).toContain('more than');
    expect(of('/paths')).toEqual([]);
    const atMost = await clientOf(priced(MAX_PRICE));
    expect((await atMost.client.find(request)).ok).toBe(true);
  });

  it('is not asked by a node that cannot pay it', async () => {
    const { client, of } = await clientOf(priced(5n), { canPay: false });
    expect(detailOf(await client.find(request))).toContain('OneToN');
    expect(of('/paths')).toEqual([]);
  });

  it('may begin to charge after it was free', async () => {
    const { client, of } = await clientOf({
      info: (count) => info(count === 1 ? 0n : 5n),
      paths: ({ body }) => (Object(body).iou === undefined ? refusing(2101) : found([ROUTE, 0n])),
    });
    expect((await client.find(request)).ok).toBe(true);
    expect(promised(of('/paths')).map(([amount]) => amount)).toEqual([undefined, 5n]);
  });
});
