/** What a server makes of tickets when the packages of x402 say little, or nothing. */
import type { PaymentRequirements } from '@x402/core/types';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { channelServer } from '../../../src/x402/server.ts';
import { ticketPayload } from '../../../src/x402/ticket.ts';
import { ASSET, NETWORK, PAYER, SELLER } from '../../support/x402-market.ts';

const TAB = `0x${'33'.repeat(32)}` as const;
const HOUR_MS = 3_600_000;

/** What the calls came to that a tab was told of. */
let charged: bigint[];
let isBroken: boolean;

beforeEach(() => {
  charged = [];
  isBroken = false;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

function server() {
  const charge = (amount: bigint) => {
    charged.push(amount);
    return amount;
  };
  const standing = () => ({
    total: charged.reduce((sum, one) => sum + one, 0n),
    left: 0n,
    lumps: 0,
  });
  const begin = async () => {
    if (isBroken) throw new Error('the disk is full');
    return { ok: true as const, drawing: { tab: TAB, payer: PAYER, price: 7n, charge, standing } };
  };
  return channelServer({ key: '07'.repeat(32), tabs: { begin, open: begin, hasRoom: () => true } });
}

function ticket() {
  const made = { tab: TAB, counter: 1, from: 1, most: 9n, isLast: false, lump: null, mac: TAB };
  const requirements: PaymentRequirements = {
    ...{ scheme: 'channel', network: NETWORK, asset: ASSET, payTo: SELLER, amount: '50' },
    maxTimeoutSeconds: 60,
    extra: { tab: { most: '90', idleSeconds: 60 }, price: '7', paymentFlow: 'escrow' },
  };
  return {
    paymentPayload: { x402Version: 2, accepted: requirements, payload: ticketPayload(made) },
    requirements,
    declaredExtensions: {},
    transportContext: { request: { method: 'GET', adapter: { getUrl: () => 'http://shop/v1' } } },
  };
}

it('a call is charged once, when it has ended', async () => {
  const { onBeforeSettle } = server().schemeHooks ?? {};
  const call = ticket();
  await onBeforeSettle?.({ ...call, phase: 'before-handler' });
  expect(charged).toEqual([]);
  const ended = await onBeforeSettle?.({ ...call, phase: 'after-handler' });
  expect(ended).toMatchObject({ skip: true, result: { success: true, amount: '7' } });
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(charged).toEqual([7n]);
});

it('a call that nobody ends is given up after an hour, and costs nothing', async () => {
  const { onBeforeSettle } = server().schemeHooks ?? {};
  const call = ticket();
  await onBeforeSettle?.({ ...call, phase: 'before-handler' });
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  expect(charged).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(charged).toEqual([0n]);
  const late = await onBeforeSettle?.({ ...call, phase: 'after-handler' });
  expect(late).toMatchObject({ result: { success: true, amount: '0' } });
  expect(charged).toEqual([0n]);
});

it('a call is refused when its tab cannot be written', async () => {
  const { onBeforeSettle } = server().schemeHooks ?? {};
  isBroken = true;
  const refused = await onBeforeSettle?.({ ...ticket(), phase: 'before-handler' });
  expect(refused).toEqual({ abort: true, reason: 'tabs_unavailable' });
});

it('a ticket is refused by a server that has no tabs', async () => {
  const { onBeforeSettle } = channelServer({ key: '07'.repeat(32) }).schemeHooks ?? {};
  const refused = await onBeforeSettle?.({ ...ticket(), phase: 'before-handler' });
  expect(refused).toEqual({ abort: true, reason: 'unknown_tab' });
});
