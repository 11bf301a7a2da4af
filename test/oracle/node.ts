/**
 * What the figures of a node's own page should be, worked out from the raw contexts of its actors and by the rules of the
 * protocol (sections 4.1 and 4.8), not by the code that makes the page or its answers.
 */
import { getOrMake } from '../../src/basics/get-or-make.ts';
import type { Claimed, Claims } from './check.ts';
import { type Proven, settled } from './settled.ts';

type Json = Record<string, unknown>;
type Side = 'own' | 'partner';
/** The value of a field of a side. */
type End = {
  deposit: bigint;
  withdrawn: bigint;
  reserved: bigint;
  balance: bigint;
  locked: bigint;
  capacity: bigint;
  nonce: bigint;
};

function fieldsOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value));
}
const amountIn = (value: unknown, field: string) => BigInt(String(fieldsOf(value)[field] ?? '0'));
const listIn = (value: unknown, field: string): unknown[] => {
  const list = fieldsOf(value)[field];
  return Array.isArray(list) ? list : [];
};

/** The last total that the side has asked to withdraw, if that is more than what is on chain. */
function outOf(end: unknown): bigint {
  const asked = listIn(end, 'withdraws').map((one) => amountIn(one, 'totalWithdraw'));
  return [amountIn(end, 'withdrawn'), ...asked].reduce((most, one) => (one > most ? one : most));
}

/** `state`: of the channel, as text: only an open one can pay. */
function endOf(context: unknown, side: Side, state: string): End {
  const [own, other] =
    side === 'own' ? (['ownEnd', 'partnerEnd'] as const) : (['partnerEnd', 'ownEnd'] as const);
  const [end, opposite] = [fieldsOf(context)[own], fieldsOf(context)[other]];
  const withdrawn = amountIn(end, 'withdrawn');
  const balance =
    amountIn(end, 'deposit') -
    outOf(end) -
    amountIn(end, 'transferred') +
    amountIn(opposite, 'transferred');
  const locked = listIn(end, 'locks').reduce<bigint>(
    (sum, lock) => sum + amountIn(lock, 'amount'),
    0n,
  );
  const free = balance - locked;
  return {
    deposit: amountIn(end, 'deposit'),
    withdrawn,
    reserved: outOf(end) - withdrawn,
    balance,
    locked,
    capacity: state.startsWith('opened') && free > 0n ? free : 0n,
    nonce: amountIn(end, 'nonce'),
  };
}

/** `base`: of the node's inspector, with a slash at its end. What it said once is not asked again: take new ones for a new look. */
export function nodeClaims(base: string): Claims {
  const said = new Map<string, Promise<Json | null>>();
  const fetched = async (path: string): Promise<Json | null> => {
    const response = await fetch(`${base}${path}`);
    return response.ok ? fieldsOf(await response.json()) : null;
  };
  const ask = (path: string) => getOrMake(said, path, () => fetched(path));
  const actor = (id: string) => ask(`actors/${encodeURIComponent(id)}`);
  const channels = async (token: string) => {
    const rows = listIn(await ask('actors?machine=channel'), 'actors').map(fieldsOf);
    const own = rows.filter((row) => String(row['token']).toLowerCase() === token.toLowerCase());
    return Promise.all(
      own.map(async (row) => {
        const view = await actor(String(row['actor']));
        return { context: view?.['context'], state: String(row['state']) };
      }),
    );
  };

  const pasts = new Map<string, Promise<Map<number, unknown>>>();

  /** The channel's contexts by step, by the patches of its history. */
  async function pastOf(id: string): Promise<Map<number, unknown>> {
    const history = await ask(`actors/${encodeURIComponent(id)}/history?limit=500`);
    let context = fieldsOf(history?.['base'])['context'];
    const past = new Map<number, unknown>();
    for (const record of listIn(history, 'steps').flat().map(fieldsOf)) {
      if (record['kind'] === 'spawn') context = record['context'];
      if (record['kind'] === 'transition') context = patched(context, listIn(record, 'patch'));
      past.set(Number(record['seq']), context);
    }
    return past;
  }
  const contextAt = async (id: string, seq: number) =>
    (await getOrMake(pasts, id, () => pastOf(id))).get(seq);

  const proven = (end: unknown): Proven => ({
    deposit: amountIn(end, 'deposit'),
    withdrawn: amountIn(end, 'withdrawn'),
    transferred: amountIn(end, 'transferred'),
    locked: amountIn(end, 'locked'),
  });

  /** What a settlement pays, with the newest proofs (`closed.own`) or an older one (`proof.partner.7.own`). */
  async function ofSettlement(id: string, words: readonly string[]): Promise<string | null> {
    const context = fieldsOf((await actor(id))?.['context']);
    const [own, partner] = [proven(context['ownEnd']), proven(context['partnerEnd'])];
    const now = settled(own, partner);
    const [kind, side, nonce = '0', what = ''] = words;
    if (kind === 'closed') return textOf(fieldsOf(now)[side ?? '']);
    const path = `actors/${encodeURIComponent(id)}/proofs?side=${side}&limit=1&before=${BigInt(nonce) + 1n}`;
    const [proof] = listIn(await ask(path), 'proofs').map(fieldsOf);
    if (proof?.['nonce'] !== nonce) return null;
    const moved = {
      transferred: amountIn(proof, 'transferredAmount'),
      locked: amountIn(proof, 'lockedAmount'),
    };
    const paid =
      side === 'own'
        ? settled({ ...own, ...moved }, partner)
        : settled(own, { ...partner, ...moved });
    return textOf(fieldsOf({ ...moved, ...paid, difference: paid.own - now.own })[what]);
  }

  /** What the contract paid to this node for locks after the settlement, by the events of the chain. */
  async function ofUnlocks(id: string): Promise<string> {
    const history = await ask(`actors/${encodeURIComponent(id)}/history?limit=500`);
    const own = (await ask('node'))?.['address'];
    const events = listIn(history, 'steps')
      .flat()
      .map((record) => fieldsOf(fieldsOf(record)['event']))
      .filter(({ type }) => type === 'chain.channelUnlocked');
    const paid = events.map((event) =>
      amountIn(event, event['receiver'] === own ? 'unlockedAmount' : 'returnedTokens'),
    );
    return `${paid.reduce((sum, one) => sum + one, 0n)}`;
  }

  async function ofChannel(id: string, what: string, at: string | null): Promise<string | null> {
    const [side = '', field = ''] = what.split('.');
    if (what === 'unlocked') return ofUnlocks(id);
    if (side === 'settled') return ofSettlement(id, ['closed', field]);
    if (side === 'closed' || side === 'proof') return ofSettlement(id, what.split('.'));
    if (what !== 'settle_block' && side !== 'own' && side !== 'partner' && side !== 'both')
      return null;
    const view = at === null ? await actor(id) : null;
    const context =
      at === null ? view?.['context'] : await contextAt(id, Number(at.replace(/^seq:/, '')));
    if (what === 'settle_block') return settleBlock(fieldsOf(context));
    const state = at === null ? String(fieldsOf(view?.['row'])['state']) : 'opened';
    const ends = ['own', 'partner'].filter((one) => side === 'both' || side === one);
    return textOf(
      ends.reduce<bigint | undefined>((sum, one) => {
        const end = endOf(context, one === 'own' ? 'own' : 'partner', state);
        const value = fieldsOf({ ...end, free: end.balance - end.locked })[field];
        return typeof value === 'bigint' ? (sum ?? 0n) + value : undefined;
      }, undefined),
    );
  }

  async function ofToken(token: string, what: string): Promise<string | null> {
    const all = await channels(token);
    const sum = (amounts: bigint[]) => amounts.reduce((all, one) => all + one, 0n);
    const most = (amounts: bigint[]) =>
      amounts.reduce((most, one) => (one > most ? one : most), 0n);
    const of = (side: Side, field: 'capacity' | 'balance') =>
      all.map(({ context, state }) => endOf(context, side, state)[field]);
    const open = all.filter(({ state }) => state.startsWith('opened'));
    const values: Record<string, bigint | number> = {
      can_pay: sum(of('own', 'capacity')),
      can_receive: sum(of('partner', 'capacity')),
      most_pay: most(of('own', 'capacity')),
      most_receive: most(of('partner', 'capacity')),
      own: sum(of('own', 'balance')),
      own_open: sum(open.map(({ context, state }) => endOf(context, 'own', state).balance)),
      channels: all.length,
      open: open.length,
    };
    return textOf(values[what]);
  }

  async function ofNode(what: string): Promise<string | null> {
    const rows = async (machine: string) =>
      listIn(await ask(`actors?machine=${machine}`), 'actors');
    if (what === 'block') return textOf((await ask('node'))?.['block']);
    if (what === 'channels') return `${(await rows('channel')).length}`;
    if (what === 'live_payments') return `${(await rows('initiator,mediator,target')).length}`;
    return null;
  }

  return async ({ of, at }: Claimed) => {
    const [whose = '', what = ''] = [
      of.slice(0, of.lastIndexOf('/')),
      of.slice(of.lastIndexOf('/') + 1),
    ];
    const [kind = '', ...name] = whose.split(':');
    if (what.startsWith('due.'))
      return ofDeadline(fieldsOf((await actor(whose))?.['context']), what.split('.').slice(1));
    if (kind === 'channel') return ofChannel(whose, what, at);
    if (kind === 'token') return ofToken(name.join(':'), what);
    if (kind === 'node') return ofNode(what);
    if (kind === 'userDeposit') {
      const context = fieldsOf((await actor(whose))?.['context']);
      return textOf(fieldsOf(context['plan'])['amount']);
    }
    if (['initiator', 'mediator', 'target', 'withdrawal'].includes(kind))
      return ofPayment(fieldsOf((await actor(whose))?.['context']), what);
    return null;
  };
}

/** The first block in which a closed channel can be settled. */
function settleBlock(context: Json): string {
  const closed = amountIn(context['dispute'], 'closeBlock');
  return `${closed + amountIn(context, 'settleTimeout') + 1n}`;
}

/** The amount of what is due, or the block in which it expires: of a lock, of a payment, of a withdrawal. */
function ofDeadline(context: Json, [what, side, secrethash, field]: string[]): string | null {
  const end = fieldsOf(context[side === 'own' ? 'ownEnd' : 'partnerEnd']);
  const lock = listIn(end, 'locks').find((one) => fieldsOf(one)['secrethash'] === secrethash);
  if (what === 'lock') return textOf(fieldsOf(lock)[field === 'expiry' ? 'expiration' : 'amount']);
  if (what === 'payment' && field === 'expiry') return textOf(context['expiration']);
  if (what === 'payment') {
    const { lockAmount } = fieldsOf(context['order']);
    const isPassedOn = side === 'own' && context['payee'] !== undefined;
    return textOf(
      lockAmount ?? (isPassedOn ? fieldsOf(context['payee'])['amount'] : context['amount']),
    );
  }
  if (what === 'unlock') return textOf(end['locked']);
  if (what === 'update') return settleBlock(context);
  if (what !== 'withdraw') return textOf(fieldsOf(context['plan'] ?? context)['amount']);
  const asked = side === 'own' ? [context['withdraw']] : listIn(end, 'withdraws');
  const last = asked.at(-1);
  if (field === 'expiry') return textOf(fieldsOf(last)['expiration']);
  return `${amountIn(last, 'totalWithdraw') - amountIn(end, 'withdrawn')}`;
}

/** Amounts of a payment by what its actor was given. */
function ofPayment(context: Json, what: string): string | null {
  const order = fieldsOf(context['order']);
  const amount = order['amount'] ?? context['amount'];
  const [lock, given] = [amountIn(order, 'lockAmount'), amountIn(context, 'amount')];
  const passedOn = fieldsOf(context['payee'])['amount'];
  const values: Json = {
    amount,
    for_fees: order['amount'] === undefined ? undefined : lock - amountIn(order, 'amount'),
    lock: order['lockAmount'] ?? context['amount'],
    lock_that_comes_in: context['amount'],
    lock_that_goes_on: passedOn,
    fee: passedOn === undefined ? undefined : given - BigInt(String(passedOn)),
  };
  return textOf(values[what]);
}

const textOf = (value: unknown) => (value === undefined ? null : String(value));

type Change = { op: string; value: unknown };

/** A context with the changes made: `add`, `replace` and `remove` at JSON pointers (RFC 6902). */
function patched(context: unknown, changes: unknown[]): unknown {
  return changes.map(fieldsOf).reduce((before: unknown, { op, path, value }) => {
    const names = String(path).split('/').slice(1);
    return changedAt(before, names, { op: String(op), value });
  }, context);
}

function changedAt(inside: unknown, [name, ...rest]: string[], change: Change): unknown {
  if (name === undefined) return change.value;
  const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(inside)) {
    const at = key === '-' ? inside.length : Number(key);
    if (rest.length > 0) return inside.with(at, changedAt(inside[at], rest, change));
    const put = change.op === 'remove' ? [] : [change.value];
    return inside.toSpliced(at, change.op === 'add' ? 0 : 1, ...put);
  }
  const { [key]: before, ...others } = fieldsOf(inside);
  if (rest.length > 0) return { ...others, [key]: changedAt(before, rest, change) };
  return change.op === 'remove' ? others : { ...others, [key]: change.value };
}
