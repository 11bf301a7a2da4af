/** One line of words for a message, an event or an effect. `token`: the token of its amounts; null: not known. */
import { shortId } from '../../../inspector/texts/short-id.ts';
import { amountText, personName } from '../../../page-parts/labels.ts';
import { bigintAt, changesIn, fieldOf, textAt } from '../../base/fields.ts';

/** The protocol's message in an event or effect; a message that is only named by its number has no fields. */
export function messageOf(body: { type: string }): unknown {
  const message = fieldOf(body, 'message');
  if (message !== undefined) return message;
  return { type: 'Processed', messageId: fieldOf(body, 'messageId') };
}

type Words = { label: string; detail: string };

/** `label`: the message's type, with what an Update changes; `detail`: its nonce and the amounts in it. */
export function describeMessage(message: unknown, token: string | null): Words {
  const type = textAt(message, 'type') ?? 'message';
  const changes = changesIn(message);
  if (changes.length === 0) return { label: type, detail: joined(detailsOf(message, token)) };
  const nonce = bigintAt(message, 'nonce');
  const told = changes.slice(0, TOLD).map((change) => joined(detailsOf(change, token)));
  const more = changes.length - told.length;
  const others = bigintAt(message, 'others') ?? 0n;
  const detail = [
    nonce === null ? null : `nonce ${nonce}`,
    ...told,
    more === 0 ? null : `${more} more`,
    others === 0n ? null : `beside ${others} of other payments`,
  ];
  return { label: `${type}: ${countsOf(changes)}`, detail: joined(detail) };
}

/** How many changes of an Update are told one by one. */
const TOLD = 3;
const PLURALS = new Map([
  ['lock', 'locks'],
  ['refund', 'refunds'],
  ['unlock', 'unlocks'],
]);

/** How many changes of each type there are, in the order in which the types come first. */
function countsOf(changes: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const change of changes) {
    const type = textAt(change, 'type') ?? 'change';
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const words = [...counts].map(([type, count]) =>
    count === 1 ? type : `${count} ${PLURALS.get(type) ?? type}`,
  );
  return words.join(', ');
}

function detailsOf(message: unknown, token: string | null): (string | null)[] {
  const nonce = bigintAt(message, 'nonce');
  const signedNonce = bigintAt(message, 'signedNonce');
  const acceptedNonce = bigintAt(message, 'acceptedNonce');
  const amount = bigintAt(message, 'lock', 'amount') ?? bigintAt(message, 'amount');
  const total = bigintAt(message, 'totalWithdraw');
  const expiration = bigintAt(message, 'lock', 'expiration') ?? bigintAt(message, 'expiration');
  const hash = textAt(message, 'lock', 'secrethash') ?? textAt(message, 'secrethash');
  return [
    nonce === null ? null : `nonce ${nonce}`,
    signedNonce === null ? null : `signed ${signedNonce}`,
    acceptedNonce === null ? null : `accepted ${acceptedNonce}`,
    amount === null ? null : amountText(amount, token),
    total === null ? null : `total ${amountText(total, token)}`,
    expiration === null ? null : `until #${expiration}`,
    hash === null ? null : shortId(hash),
    isHidden(fieldOf(message, 'secret')) ? 'secret hidden' : null,
  ];
}

/** The most informative fields, in this order; the first few that are present are shown. */
const TELLING = [
  'amount',
  'lockAmount',
  'totalDeposit',
  'totalWithdraw',
  'unlockedAmount',
  'fee',
  'paymentId',
  'expiration',
  'secrethash',
  'code',
  'kind',
  'participant',
  'closer',
] as const;
const SHOWN = 3;

export function describeOther(body: unknown, token: string | null): string {
  const inner = [body, fieldOf(body, 'payment'), fieldOf(body, 'order')];
  const words = TELLING.flatMap((name) => {
    const found = inner.map((part) => fieldOf(part, name)).find((value) => value !== undefined);
    const word = wordFor(name, found, token);
    return word === null ? [] : [word];
  });
  return joined(words.slice(0, SHOWN));
}

function wordFor(name: string, value: unknown, token: string | null): string | null {
  if (typeof value === 'string')
    return /^0x[0-9a-fA-F]{40}$/.test(value) ? personName(value) : shortId(value);
  if (typeof value !== 'bigint') return null;
  if (name === 'paymentId') return `payment ${value}`;
  if (name === 'expiration') return `until #${value}`;
  const amount = amountText(value, token);
  if (name === 'fee') return `fee ${amount}`;
  if (name === 'lockAmount') return `lock ${amount}`;
  return name.startsWith('total') ? `total ${amount}` : amount;
}

/** Whether the value was hidden by the node. */
function isHidden(value: unknown): boolean {
  return fieldOf(value, '$redacted') !== undefined;
}

function joined(words: readonly (string | null)[]): string {
  return words.filter((word) => word !== null).join(' · ');
}
