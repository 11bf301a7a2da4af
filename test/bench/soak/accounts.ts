/** The end of a soak: everything comes to rest, is asked for again, is closed and settled; and the books are made. */

import * as v from 'valibot';
import { paymentHistory } from '../../../src/client/history.ts';
import {
  type Contradiction,
  type Deed,
  deedsThatDiffer,
  type Entry,
  figuresIn,
  figuresThatDiffer,
  holdingsThatDiffer,
  paymentsThatDiffer,
  type Rest,
  readinessThatDiffers,
  salesThatDiffer,
} from './books.ts';
import { channelShape, pause, read, textAt } from './calls.ts';
import { close, type Lives } from './channel-lives.ts';
import type { Node } from './machine.ts';
import type { Buyer } from './payers.ts';
import type { KeyedCall } from './recorder.ts';
import { HUB, type Setting } from './setting.ts';

/** How long what was begun may take to come to its end. */
const REST_MS = 120_000;
/** From the last close until everything is settled. */
const SETTLED_MS = 300_000;
const PAUSE_MS = 1_000;
/** Calls that are made again at a time. */
const AT_A_TIME = 8;
const TRIES = 5;

type Dated = Entry & { at: number };

async function historyOf({ nameOf }: Setting, node: Node): Promise<Dated[]> {
  const entries: Dated[] = [];
  for await (const record of paymentHistory(node.url())) {
    if (record.event === 'EventPaymentSentFailed') continue;
    const isSent = record.event === 'EventPaymentSentSuccess';
    entries.push({
      owner: node.name,
      other: nameOf(isSent ? record.target : record.initiator),
      event: isSent ? 'sent' : 'received',
      identifier: record.identifier,
      amount: BigInt(record.amount),
      at: Date.parse(record.log_time),
    });
  }
  return entries;
}

const allHistories = async (setting: Setting): Promise<Dated[]> =>
  (await Promise.all(setting.nodes.map((node) => historyOf(setting, node)))).flat();

/** Asks until it finds nothing wrong any more, or for so long; answers what is wrong then. */
async function atLast(
  look: () => Promise<Contradiction[]>,
  stopped: AbortSignal,
): Promise<Contradiction[]> {
  const end = performance.now() + REST_MS;
  for (;;) {
    const found = await look().catch((error: unknown): Contradiction[] => [
      { what: `the books cannot be read: ${String(error)}`, parties: [] },
    ]);
    if (found.length === 0 || stopped.aborted || performance.now() > end) return found;
    await pause(PAUSE_MS, stopped);
  }
}

/** Makes all calls again of which nobody knows yet what became, and waits for what buyers have begun. */
async function finishAll(
  setting: Setting,
  buyers: readonly Buyer[],
  stopped: AbortSignal,
): Promise<Contradiction[]> {
  const { recorder } = setting;
  await Promise.all(buyers.map((buyer) => buyer.finish(stopped)));
  const look = async () => {
    const open = recorder.open();
    await inTurns(open, ({ call }) => askAgain(setting, call));
    return recorder.open().map(({ payment }) => ({
      what: `nobody knows what became of payment ${payment.identifier} of ${payment.payer} to ${payment.payee}`,
      parties: [payment.payer, payment.payee],
    }));
  };
  const unbought = buyers.flatMap((buyer) => buyer.left() ?? []);
  return [
    ...(await atLast(look, stopped)),
    ...unbought.map((item) => ({ what: `${item} cannot be bought`, parties: ['paywall', HUB] })),
  ];
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const workers = Array.from({ length: AT_A_TIME }, async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  });
  await Promise.all(workers);
}

type Again = Omit<KeyedCall, 'answer'>;

/** The recorder compares the answer with the first one. */
async function askAgain({ recorder, nodeOf }: Setting, call: Again): Promise<void> {
  const { node, method, path, body, key } = call;
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await recorder
      .fetchFor({ node })(`${nodeOf(node).url()}${path}`, {
        method,
        body,
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      })
      .catch(() => null);
    await answer?.text();
    if (answer !== null && answer.status < 500) return;
  }
}

/** What each node says of itself, beside its own history and channels. */
async function figuresOf(setting: Setting): Promise<Contradiction[]> {
  const entries = await allHistories(setting);
  const rests = await Promise.all(
    setting.nodes.map(async (node): Promise<Rest> => {
      const page = await textAt(`${node.url()}/metrics`);
      const channels = await channelsOf(node);
      const opened = channels.filter(({ state }) => state === 'opened');
      const [machine] = node.machines;
      const own = entries.filter(
        ({ owner, at }) => owner === node.name && at >= (machine?.begun() ?? 0),
      );
      const count = (event: Entry['event']) =>
        node.name === HUB ? null : own.filter((one) => one.event === event).length;
      return {
        name: node.name,
        figures: figuresIn(page),
        sent: count('sent'),
        received: count('received'),
        opened: opened.length,
        capacity: Number(opened.reduce((sum, { balance }) => sum + balance, 0n)),
      };
    }),
  );
  return rests.flatMap(figuresThatDiffer);
}

async function channelsOf(node: Node) {
  return v.parse(v.array(channelShape), await read(node, '/channels'));
}

/** Closes every channel, and waits until none is left anywhere. */
async function settleAll(
  setting: Setting,
  lives: Lives,
  stopped: AbortSignal,
): Promise<Contradiction[]> {
  const closed = new Set<string>();
  for (const node of setting.nodes) {
    const open = (await channelsOf(node)).filter(({ state }) => state === 'opened');
    const own = open.filter(({ channel_identifier: id }) => !closed.has(id));
    for (const { channel_identifier: id } of own) closed.add(id);
    await Promise.all(
      own.map(({ partner_address }) => {
        const partner = setting.nodeOf(setting.nameOf(partner_address));
        return close(setting, lives, { node, partner }, stopped);
      }),
    );
  }
  const end = performance.now() + SETTLED_MS;
  for (;;) {
    const left = await Promise.all(
      setting.nodes.map(async (node) => ({ node, count: (await channelsOf(node)).length })),
    );
    const some = left.filter(({ count }) => count > 0);
    if (some.length === 0 || stopped.aborted) return [];
    if (performance.now() > end)
      return some.map(({ node: { name }, count }) => ({
        what: `${name} has ${count} channels that are not settled after ${SETTLED_MS / 1_000} s`,
        parties: [name],
      }));
    await pause(PAUSE_MS, stopped);
  }
}

async function deedsOnChain({ world, nameOf }: Setting): Promise<Deed[]> {
  return (await world.events()).flatMap((log): Deed[] => {
    const base = { channel: '', party: null, total: null };
    switch (log.eventName) {
      case 'ChannelOpened':
        return [{ ...base, event: log.eventName, channel: String(log.args.channelId) }];
      case 'ChannelNewDeposit':
      case 'ChannelWithdraw': {
        const total = 'totalDeposit' in log.args ? log.args.totalDeposit : log.args.totalWithdraw;
        const party = nameOf(log.args.participant);
        return [{ event: log.eventName, channel: String(log.args.channelId), party, total }];
      }
      case 'ChannelClosed': {
        const party = nameOf(log.args.closer);
        return [{ ...base, event: log.eventName, channel: String(log.args.channelId), party }];
      }
      default:
        return [];
    }
  });
}

async function holdingsOf({ world, nodes, given }: Setting) {
  const left = new Map<string, bigint>();
  for (const { name, address } of nodes) left.set(name, await world.tokensOf(address));
  return { given, left, inChannels: await world.tokensOf(world.tokenNetwork) };
}

export type Ending = { lives: Lives; buyers: readonly Buyer[]; say(text: string): void };

/** Brings everything to its end; answers all that does not fit together. */
export async function closeBooks(
  setting: Setting,
  { lives, buyers, say }: Ending,
  stopped: AbortSignal,
): Promise<Contradiction[]> {
  const { recorder, watch, contradictions, shop, nodes } = setting;
  const found: Contradiction[] = [];
  const parties = nodes.map(({ name }) => name);
  /** What cannot be looked at is a contradiction, too: every node should be there. */
  const look = async (what: string, work: () => Promise<Contradiction[]>) => {
    const seen = await work().catch((error: unknown) => [
      { what: `${what} cannot be done: ${String(error)}`, parties },
    ]);
    if (!stopped.aborted) found.push(...seen);
  };
  let entries: Entry[] = [];
  const payments = async () => {
    entries = await allHistories(setting);
    return paymentsThatDiffer(recorder.payments(), entries);
  };
  say('waiting for what was begun');
  await look('finishing', () => finishAll(setting, buyers, stopped));
  await look('comparing histories', () => atLast(payments, stopped));
  await look('comparing sales', async () =>
    salesThatDiffer(recorder.payments(), entries, shop.served()),
  );
  say(`asking again ${recorder.keyed().length} calls that had a key`);
  await look('asking again', async () => {
    await inTurns(recorder.keyed(), (call) => askAgain(setting, call));
    return payments();
  });
  await look('reading figures', () => atLast(() => figuresOf(setting), stopped));
  if (!stopped.aborted) say('closing and settling all channels');
  await look('settling', () => settleAll(setting, lives, stopped));
  await look('reading the chain', async () => [
    ...deedsThatDiffer(lives.deeds, await deedsOnChain(setting)),
    ...holdingsThatDiffer(await holdingsOf(setting), entries),
  ]);
  found.push(...readinessThatDiffers(watch.looks()));
  if (!shop.isRunning()) found.push({ what: 'the paywall has ended', parties: ['paywall'] });
  return [...new Map([...contradictions, ...found].map((one) => [one.what, one])).values()];
}
