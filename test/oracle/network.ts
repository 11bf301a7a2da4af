/** Works out every claim of the page over all nodes from what the nodes say, and compares it with what the page says. */
import type { End, NetworkFacts, NodeFacts } from './network-facts.ts';
import type { Bar, Figure, Seen } from './read.ts';

/** One sentence for each claim that is not so, or that nobody knows. */
export function wrongClaims(seen: Seen, facts: NetworkFacts): string[] {
  return [...seen.figures, ...seen.bars].flatMap((figure) => {
    const so = soOf(figure, facts);
    if (so === figure.value) return [];
    return so === null
      ? `nobody knows ${figure.claim} (${figure.value})`
      : `${figure.claim} is ${figure.value} on the page, and is ${so}`;
  });
}

/** The value as it is; null: the claim is not known. */
function soOf({ claim }: Pick<Figure | Bar, 'claim'>, facts: NetworkFacts): string | null {
  const [whose = '', about = '', what = ''] = claim.split('/');
  if (whose === 'time') return ofTime(about, facts);
  if (whose === 'network')
    return about === 'block' ? newestBlock(facts) : ofNetwork(facts, about, what);
  const node = facts.nodes.get(whose);
  if (node === undefined) return null;
  if (about === 'presence') return isThere(facts, whose) ? 'there' : 'away';
  if (about.startsWith('opening:'))
    return what === 'deposit' ? `${node.openings.get(about.slice('opening:'.length)) ?? ''}` : null;
  if (about.startsWith('channel:'))
    return what === 'settlesIn' ? blocksLeft(node, about, facts) : ofChannel(node, about, what);
  return about.startsWith('initiator:') ? ofPayment(node, about, what) : null;
}

function ofTime(what: string, { time }: NetworkFacts): string | null {
  if (time === null) return null;
  const said = { ...time, down: time.down.join(' ') };
  return `${Object.entries(said).find(([name]) => name === what)?.[1] ?? ''}`;
}

function newestBlock({ nodes }: NetworkFacts): string {
  const blocks = [...nodes.values()].flatMap(({ block }) => block ?? []);
  return `${blocks.reduce((most, block) => (block > most ? block : most), 0n)}`;
}

function isThere({ nodes, play, time }: NetworkFacts, name: string): boolean {
  const stopped = play?.nodes.some((node) => node.name === name && !node.isRunning) ?? false;
  return !stopped && time?.down.includes(name) !== true && nodes.get(name)?.block !== null;
}

/** What a side has promised to take out, or has: it is its own no longer. */
const takenOut = ({ withdrawn, withdraws }: End) =>
  withdraws.reduce(
    (most, { totalWithdraw }) => (totalWithdraw > most ? totalWithdraw : most),
    withdrawn,
  );
const balanceOf = (end: End, other: End) =>
  end.deposit + other.transferred - end.transferred - takenOut(end);

function ofChannel(node: NodeFacts, id: string, what: string): string | null {
  const found = node.channels.get(id);
  if (found === undefined) return null;
  const { row, context } = found;
  const { ownEnd, partnerEnd, dispute, settleTimeout } = context;
  switch (what) {
    case 'state':
      return row.state;
    case 'deadline':
      return `${row.deadlineBlock ?? 'none'}`;
    case 'locks':
      return `${ownEnd.locks.length + partnerEnd.locks.length}`;
    case 'conserved':
      return isConserved(ownEnd, partnerEnd) ? 'yes' : 'no';
    case 'settlesAt':
      return dispute === null ? null : `${dispute.closeBlock + settleTimeout + 1n}`;
  }
  const [side, field = ''] = what.split('.');
  const [end, other] = side === 'own' ? [ownEnd, partnerEnd] : [partnerEnd, ownEnd];
  return side === 'own' || side === 'partner'
    ? ofEnd(end, other, { field, isOpen: row.state.startsWith('opened') })
    : null;
}

/** Until the channel can be settled, from the newest block that any node knows. */
function blocksLeft(node: NodeFacts, id: string, facts: NetworkFacts): string | null {
  const at = ofChannel(node, id, 'settlesAt');
  if (at === null) return null;
  const left = BigInt(at) - BigInt(newestBlock(facts));
  return `${left > 0n ? left : 0n}`;
}

function ofEnd(
  end: End,
  other: End,
  { field, isOpen }: { field: string; isOpen: boolean },
): string | null {
  const balance = balanceOf(end, other);
  const free = isOpen && balance > end.locked ? balance - end.locked : 0n;
  const known: Record<string, bigint> = {
    deposit: end.deposit,
    withdrawn: end.withdrawn,
    nonce: end.nonce,
    locked: end.locked,
    balance,
    capacity: free,
  };
  return known[field] === undefined ? null : `${known[field]}`;
}

function isConserved(one: End, other: End): boolean {
  const isCovered = (end: End, against: End) =>
    end.locks.reduce((sum, { amount }) => sum + amount, 0n) === end.locked &&
    balanceOf(end, against) >= end.locked;
  // The sum of balances follows from how they are computed: what can be wrong is what is taken out, and locked.
  return (
    one.deposit + other.deposit >= takenOut(one) + takenOut(other) &&
    isCovered(one, other) &&
    isCovered(other, one)
  );
}

function ofPayment(node: NodeFacts, id: string, what: string): string | null {
  const row = node.payments.get(id);
  if (row === undefined) return null;
  const known: Record<string, unknown> = {
    amount: row.amount,
    paymentId: row.paymentId,
    state: row.state,
    target: row.target,
    ended: row.endTime,
  };
  return known[what] === undefined || known[what] === null ? null : `${known[what]}`;
}

function ofNetwork(facts: NetworkFacts, id: string, what: string): string | null {
  return what === 'verdict' ? verdictOf(facts, id) : null;
}

/** The sides of a channel that are there and hold it. */
function sidesOf(facts: NetworkFacts, id: string) {
  return [...facts.nodes].flatMap(([name, node]) => {
    const held = node.channels.get(id);
    return held === undefined ? [] : [{ name, node, ...held, isThere: isThere(facts, name) }];
  });
}

/** `away`: a node that has a part in it is not there; then nobody can compare. */
function verdictOf(facts: NetworkFacts, id: string): string | null {
  const sides = sidesOf(facts, id);
  const [first] = sides;
  if (first === undefined) return null;
  const partner = [...facts.nodes].find(([, { address }]) => address === first.context.partner);
  if ([first.name, ...(partner ?? []).slice(0, 1)].some((name) => !isThere(facts, `${name}`)))
    return 'away';
  const second = sides[1];
  if (second === undefined) return 'alone';
  const pairs = [
    { own: first.context.ownEnd, held: second.context.partnerEnd },
    { own: second.context.ownEnd, held: first.context.partnerEnd },
  ];
  const isSameBlock = first.node.block === second.node.block;
  const told = pairs.map(({ own, held }) => {
    const isSigned =
      own.transferred === held.transferred &&
      own.locked === held.locked &&
      hashesOf(own) === hashesOf(held);
    const isOnChain = own.deposit === held.deposit && own.withdrawn === held.withdrawn;
    if (isSigned && isOnChain) return 'agreed';
    const isOdd = (!isSigned && own.nonce === held.nonce) || (!isOnChain && isSameBlock);
    return isOdd ? 'disputed' : 'underWay';
  });
  return (['disputed', 'underWay', 'agreed'] as const).find((one) => told.includes(one)) ?? null;
}

const hashesOf = ({ locks }: End) => locks.map(({ secrethash }) => secrethash).join(' ');
