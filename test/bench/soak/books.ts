/**
 * What must be true after a soak, to the unit. Every function takes what callers were told, what nodes have on record and
 * what the chain has, and answers what does not fit together. Nodes are called by their names; nothing is asked here.
 */

/** `parties`: the nodes whose logs say more. */
export type Contradiction = { what: string; parties: readonly string[] };
/** `paid`: the API said so; `not paid`: it said that nothing will come of it; `unknown`: nobody has an answer. */
export type Told = 'paid' | 'not paid' | 'unknown';
/** `item`: what was bought with it; null: it was no sale. */
export type PaymentCall = {
  payer: string;
  payee: string;
  identifier: string;
  amount: bigint;
  told: Told;
  item: string | null;
};
/** A line of the history of the node `owner`. */
export type Entry = {
  owner: string;
  other: string;
  event: 'sent' | 'received';
  identifier: string;
  amount: bigint;
};
/** What a call on channels was told to have done, and what a log of the chain says was done. */
export type Deed = {
  event: 'ChannelOpened' | 'ChannelNewDeposit' | 'ChannelWithdraw' | 'ChannelClosed';
  channel: string;
  /** Of whom it tells; null: of both. */
  party: string | null;
  /** The new total; null: it has none. */
  total: bigint | null;
};

const placeOf = (payer: string, payee: string, identifier: string) =>
  `${payer} to ${payee}, ${identifier}`;

type Found = { sent: bigint[]; received: bigint[] };

function placesIn(entries: readonly Entry[]): Map<string, Found> {
  const places = new Map<string, Found>();
  for (const { owner, other, event, identifier, amount } of entries) {
    const [payer, payee] = event === 'sent' ? [owner, other] : [other, owner];
    const place = placeOf(payer, payee, identifier);
    const found = places.get(place) ?? { sent: [], received: [] };
    found[event].push(amount);
    places.set(place, found);
  }
  return places;
}

/** Each payment that was answered as paid is in both histories exactly once, and nothing else is in any. */
export function paymentsThatDiffer(
  calls: readonly PaymentCall[],
  entries: readonly Entry[],
): Contradiction[] {
  const places = placesIn(entries);
  const wrong: Contradiction[] = [];
  for (const { payer, payee, identifier, amount, told } of calls) {
    const place = placeOf(payer, payee, identifier);
    const { sent, received } = places.get(place) ?? { sent: [], received: [] };
    places.delete(place);
    const times = told === 'unknown' ? Math.min(sent.length, 1) : told === 'paid' ? 1 : 0;
    const fits = (amounts: readonly bigint[]) =>
      amounts.length === times && amounts.every((one) => one === amount);
    if (fits(sent) && fits(received)) continue;
    const what = `payment ${place}, of ${amount}: the caller was told "${told}", the payer has sent [${sent}], the payee received [${received}]`;
    wrong.push({ what, parties: [payer, payee] });
  }
  for (const [place, { sent, received }] of places) {
    const parties = (/^(\S+) to (\S+),/.exec(place) ?? []).slice(1);
    const what = `payment ${place}: nobody has ordered it, sent [${sent}], received [${received}]`;
    wrong.push({ what, parties });
  }
  return wrong;
}

/** Each item is served once for its one payment. `served`: how often the server behind the paywall has answered for it. */
export function salesThatDiffer(
  calls: readonly PaymentCall[],
  entries: readonly Entry[],
  served: ReadonlyMap<string, number>,
): Contradiction[] {
  const received = new Set(
    entries
      .filter(({ event }) => event === 'received')
      .map(({ other, owner, identifier }) => placeOf(other, owner, identifier)),
  );
  const paid = new Map<string, string[]>();
  for (const { item, payer, payee, identifier } of calls) {
    const place = placeOf(payer, payee, identifier);
    if (item === null || !received.has(place)) continue;
    paid.set(item, [...(paid.get(item) ?? []), place]);
  }
  return [...new Set([...paid.keys(), ...served.keys()])].flatMap((item) => {
    const [payments, times] = [paid.get(item) ?? [], served.get(item) ?? 0];
    if (payments.length === 1 && times === 1) return [];
    const what = `sale of ${item}: paid ${payments.length} times (${payments.join('; ')}), served ${times} times`;
    return [{ what, parties: ['paywall', 'hub', 'alice', 'dave'] }];
  });
}

/** What callers were told to be done on chain is there exactly once. */
export function deedsThatDiffer(told: readonly Deed[], onChain: readonly Deed[]): Contradiction[] {
  const nameOf = ({ event, channel, party, total }: Deed) =>
    `${event} of channel ${channel}${party === null ? '' : ` by ${party}`}${total === null ? '' : `: ${total}`}`;
  const times = new Map<string, number>();
  for (const deed of onChain) times.set(nameOf(deed), (times.get(nameOf(deed)) ?? 0) + 1);
  return told.flatMap((deed) => {
    const found = times.get(nameOf(deed)) ?? 0;
    if (found === 1) return [];
    const what = `a caller was told of ${nameOf(deed)}; the chain has it ${found} times`;
    return [{ what, parties: deed.party === null ? ['anvil'] : [deed.party] }];
  });
}

export type Holdings = {
  /** What each node was given at the beginning, and what it has at the end outside of channels. */
  given: ReadonlyMap<string, bigint>;
  left: ReadonlyMap<string, bigint>;
  /** What the contract of the channels still holds. */
  inChannels: bigint;
};

/** When every channel is settled, each node has what it was given, and what it was paid less what it has paid. */
export function holdingsThatDiffer(
  { given, left, inChannels }: Holdings,
  entries: readonly Entry[],
): Contradiction[] {
  const names = [...given.keys()];
  const wrong = names.flatMap((name) => {
    const own = entries.filter(({ owner }) => owner === name);
    const change = own.reduce(
      (sum, { event, amount }) => (event === 'sent' ? sum - amount : sum + amount),
      0n,
    );
    const expected = (given.get(name) ?? 0n) + change;
    const found = left.get(name) ?? 0n;
    if (found === expected) return [];
    const what = `${name} has ${found} on chain at the end, and should have ${expected}: ${found - expected} too many`;
    return [{ what, parties: [name] }];
  });
  if (inChannels === 0n) return wrong;
  const what = `the contract still holds ${inChannels} when every channel is settled`;
  return [...wrong, { what, parties: names }];
}

/** A line of a page of figures. */
export type Figure = { name: string; labels: Readonly<Record<string, string>>; value: number };

/** `text`: as Prometheus reads it. */
export function figuresIn(text: string): Figure[] {
  const lines = text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm);
  return [...lines].map(([, name = '', labels = '', value]) => {
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)];
    return {
      name,
      labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
      value: Number(value),
    };
  });
}

/** The sum of a figure over all labels that are not asked for. */
export const sumOf = (
  figures: readonly Figure[],
  wanted: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  figures
    .filter(({ name }) => name === wanted)
    .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);

/** Of a node at rest: what it and the driver count since its process began. */
export type Rest = {
  name: string;
  figures: readonly Figure[];
  /** Payments in its history since then; null: another process has made some of them. */
  sent: number | null;
  received: number | null;
  opened: number;
  capacity: number;
};

/** What a node at rest says of itself, beside what is known of it. */
export function figuresThatDiffer({
  name,
  figures,
  sent,
  received,
  opened,
  capacity,
}: Rest): Contradiction[] {
  const paidAs = (role: string) => sumOf(figures, 'pcn_payments_total', { role, result: 'paid' });
  const own = { side: 'own' };
  const rows: [string, number, number | null][] = [
    ['pcn_payments_total as initiator', paidAs('initiator'), sent],
    ['pcn_payments_total as target', paidAs('target'), received],
    ['pcn_channels opened', sumOf(figures, 'pcn_channels', { state: 'opened' }), opened],
    ['pcn_channel_capacity', sumOf(figures, 'pcn_channel_capacity', own), capacity],
    ['pcn_locks_pending', sumOf(figures, 'pcn_locks_pending'), 0],
    ['pcn_outbox_depth', sumOf(figures, 'pcn_outbox_depth'), 0],
    ['pcn_tx_pending', sumOf(figures, 'pcn_tx_pending'), 0],
    ['pcn_broker_connected', sumOf(figures, 'pcn_broker_connected'), 1],
    ['pcn_invariant_violations_total', sumOf(figures, 'pcn_invariant_violations_total'), 0],
  ];
  return rows
    .filter(([, said, known]) => known !== null && said !== known)
    .map(([figure, said, known]) => ({
      what: `${name} says ${figure} ${said}, and it is ${known}`,
      parties: [name],
    }));
}

/** A question to the machines of one node at one moment: which of them say that they are ready, and which of them run. */
export type Look = { node: string; ready: readonly string[]; running: readonly string[] };

/**
 * A machine that was dead before and after it was asked is not ready; and of two with one key one is the node: only while
 * one takes the place of the other may both say so, for one look.
 */
export function readinessThatDiffers(looks: readonly Look[]): Contradiction[] {
  const wrong: Contradiction[] = [];
  const before = new Map<string, number>();
  for (const { node, ready, running } of looks) {
    for (const machine of ready.filter((one) => !running.includes(one)))
      wrong.push({ what: `${machine} says that it is ready, and was killed`, parties: [machine] });
    const doubled = ready.length > 1 ? (before.get(node) ?? 0) + 1 : 0;
    before.set(node, doubled);
    if (doubled === 2)
      wrong.push({ what: `${ready.join(' and ')} both say that they are ready`, parties: ready });
  }
  return wrong;
}
