import { describe, expect, it } from 'vitest';
import type { StepRecords } from '../../../src/inspector/wire.ts';
import {
  type Sequence,
  sequenceOf,
  stepsAbout,
} from '../../../src/inspector-page/views/sequence/arrows.ts';
import { CHANNEL, hashOf, NETWORK, NOW, OWN, PARTNER } from '../../support/makers.ts';
import { spawnOf, stepOf } from '../../support/trace-makers.ts';

const HASH = hashOf(1);
const INITIATOR = `initiator:${HASH}`;
const TARGET = `target:${HASH}`;
const HIDDEN = { $redacted: 'secret' };
const onChannel = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
const LOCK = { amount: 10n, expiration: 120n, secrethash: HASH };
const lockOf = (lock: object) => ({ type: 'lock', paymentId: 7n, lock });
const transfer = { type: 'Update', ...onChannel, nonce: 3n, changes: [lockOf(LOCK)] };
const request = { type: 'SecretRequest', secrethash: HASH, paymentId: 7n, amount: 10n };
const PAID = { type: 'unlock', paymentId: 7n, secret: HIDDEN };
const unlock = { type: 'Update', ...onChannel, nonce: 4n, changes: [PAID] };

const sends = (to: string, message: object) => ({ type: 'send.message', to, message });
const hears = (type: string, sender: string, message: object) => ({ type, sender, message });
const tells = (to: string, event: object) => ({ type: 'notify', to, event });

/** The steps of the payer's node and of the payee's in one direct payment, a journal each. */
function payment(): { payer: StepRecords[]; payee: StepRecords[] } {
  const addLock = { type: 'actor.addLock', from: INITIATOR, secrethash: HASH, amount: 10n };
  const doUnlock = { type: 'actor.unlock', secrethash: HASH, secret: HIDDEN };
  const reveal = { type: 'RevealSecret', secret: HIDDEN };
  const payer = [
    spawnOf({ seq: 10, actor: INITIATOR, by: { actor: 'node', seq: 9 }, machine: 'initiator' }),
    stepOf({
      seq: 11,
      actor: CHANNEL,
      by: { actor: INITIATOR, seq: 10 },
      event: addLock,
      effects: [sends(PARTNER, transfer), tells(INITIATOR, { type: 'actor.lockAdded' })],
    }),
    stepOf({
      seq: 12,
      actor: INITIATOR,
      by: { actor: CHANNEL, seq: 11 },
      event: { type: 'actor.lockAdded', expiration: 120n },
      move: ['locking', 'locked'],
    }),
    stepOf({
      seq: 13,
      actor: INITIATOR,
      event: hears('msg.secretRequest', PARTNER, request),
      effects: [sends(PARTNER, reveal)],
      move: ['locked', 'revealed'],
    }),
    stepOf({
      seq: 14,
      actor: INITIATOR,
      event: { ...hears('msg.revealSecret', PARTNER, reveal), secrethash: HASH },
      effects: [tells(CHANNEL, doUnlock), { type: 'reply.ok', requestId: 'r', value: {} }],
      move: ['revealed', 'paid'],
    }),
    stepOf({
      seq: 15,
      actor: CHANNEL,
      by: { actor: INITIATOR, seq: 14 },
      event: doUnlock,
      effects: [sends(PARTNER, unlock)],
    }),
  ];
  const payee = [
    stepOf({
      seq: 5,
      actor: CHANNEL,
      event: hears('msg.update', OWN, transfer),
      effects: [
        { type: 'send.processed', to: OWN, messageId: 1n },
        { type: 'spawn.target', id: TARGET, input: {} },
      ],
    }),
    spawnOf({ seq: 6, actor: TARGET, by: { actor: CHANNEL, seq: 5 }, machine: 'target' }),
    stepOf({ seq: 7, actor: TARGET, effects: [sends(OWN, request)] }),
    stepOf({
      seq: 8,
      actor: TARGET,
      event: { ...hears('msg.revealSecret', OWN, reveal), secrethash: HASH },
      effects: [sends(OWN, reveal)],
    }),
    stepOf({
      seq: 9,
      actor: CHANNEL,
      event: {
        ...hears('msg.update', OWN, unlock),
        facts: [{ type: 'unlock', secrethash: HASH }],
      },
      effects: [
        tells(TARGET, { type: 'actor.unlocked' }),
        tells(`mediator:${HASH}`, { type: 'actor.unlocked' }),
      ],
    }),
  ];
  return { payer, payee };
}

const ALL = { expanded: new Set<string>(), last: 200 };
const source = (address: string, steps: readonly StepRecords[]) => ({
  token: null,
  address,
  name: address.slice(0, 6),
  steps,
});

/** Each arrow as a line of text, lifelines by their names. */
function lines({ items, lifelines }: Sequence): string[] {
  const nameOf = (id: string) => lifelines.find((line) => line.id === id)?.name ?? id;
  return items.flatMap((item) =>
    item.kind === 'arrow'
      ? [`${nameOf(item.arrow.from)} > ${nameOf(item.arrow.to)}: ${item.arrow.label}`]
      : [],
  );
}

describe('a sequence diagram of one node', () => {
  it('draws what passes between the node, its partner and its caller', () => {
    const sequence = sequenceOf([source(OWN, payment().payer)], ALL);
    expect(lines(sequence)).toEqual([
      '0x7099 > 0x3C44…93BC: Update: lock',
      '0x3C44…93BC > 0x7099: SecretRequest',
      '0x7099 > 0x3C44…93BC: RevealSecret',
      '0x3C44…93BC > 0x7099: RevealSecret',
      '0x7099 > caller: ok',
      '0x7099 > 0x3C44…93BC: Update: unlock',
    ]);
    expect(sequence.lifelines.map(({ kind }) => kind)).toEqual(['caller', 'node', 'partner']);
  });

  it('draws each actor of an expanded node, and what they tell each other once', () => {
    const sequence = sequenceOf([source(OWN, payment().payer)], {
      ...ALL,
      expanded: new Set([OWN]),
    });
    const [initiator, channel] = [`initiator ${short(HASH)}`, 'channel 1'];
    expect(lines(sequence).slice(0, 3)).toEqual([
      `node > ${initiator}: new initiator`,
      `${initiator} > ${channel}: addLock`,
      `${channel} > 0x3C44…93BC: Update: lock`,
    ]);
    expect(lines(sequence).filter((line) => line.endsWith(': lockAdded'))).toHaveLength(1);
    const unlocks = lines(sequence).filter((line) => line.endsWith(': unlock'));
    expect(unlocks).toEqual([
      `${initiator} > ${channel}: unlock`,
      `${channel} > 0x3C44…93BC: Update: unlock`,
    ]);
  });

  it('names a keeper after its channel, and says which amount is that of the lock', () => {
    const keeper = `keeper:${HASH}:partner:${CHANNEL}`;
    const amounts = { amount: 10n, lockAmount: 12n };
    const steps = [
      spawnOf({ seq: 1, actor: keeper, by: { actor: CHANNEL, seq: 0 }, machine: 'keeper' }),
      stepOf({
        seq: 2,
        actor: keeper,
        effects: [tells(CHANNEL, { type: 'actor.kept', ...amounts })],
      }),
      stepOf({
        seq: 3,
        actor: CHANNEL,
        by: { actor: keeper, seq: 2 },
        event: { type: 'actor.kept', ...amounts },
      }),
    ];
    const sequence = sequenceOf([source(OWN, steps)], { ...ALL, expanded: new Set([OWN]) });
    expect(lines(sequence)).toEqual([
      'channel 1 > keeper channel 1: new keeper',
      'keeper channel 1 > channel 1: kept',
    ]);
    const details = sequence.items.flatMap((item) =>
      item.kind === 'arrow' ? [item.arrow.detail] : [],
    );
    expect(details.at(-1)).toBe('10 · lock 12');
  });

  it('draws no arrow to an actor that the node does not have in the payment', () => {
    const sequence = sequenceOf([source(OWN, payment().payee)], {
      ...ALL,
      expanded: new Set([OWN]),
    });
    expect(lines(sequence).filter((line) => line.endsWith(': unlocked'))).toEqual([
      `channel 1 > target ${short(HASH)}: unlocked`,
    ]);
  });

  it('puts the side that began the payment on the left of the node', () => {
    const payee = sequenceOf([source(PARTNER, payment().payee)], ALL);
    expect(payee.lifelines.map(({ kind }) => kind)).toEqual(['partner', 'node']);
  });

  it('says the nonce, the amount and the state that followed, and keeps the secret hidden', () => {
    const { items } = sequenceOf([source(OWN, payment().payer)], ALL);
    const arrows = items.flatMap((item) => (item.kind === 'arrow' ? [item.arrow] : []));
    expect(arrows[0]?.detail).toBe(`nonce 3 · 10 · until #120 · ${short(HASH)}`);
    expect(arrows[1]?.outcome).toBe('revealed');
    expect(arrows[2]?.detail).toBe('secret hidden');
  });

  it('draws a transaction to the chain, its end and the log back', () => {
    const steps = [
      stepOf({ seq: 1, effects: [{ type: 'tx.deposit', key: 'k', totalDeposit: 5_000n }] }),
      stepOf({
        seq: 2,
        block: 104n,
        event: { type: 'chain.channelDeposit', totalDeposit: 5_000n },
      }),
      stepOf({
        seq: 3,
        block: 104n,
        event: { type: 'chain.tx', key: 'k', ok: true, minedBlock: 103n },
      }),
    ];
    const sequence = sequenceOf([source(OWN, steps)], ALL);
    expect(lines(sequence)).toEqual([
      '0x7099 > chain: deposit',
      'chain > 0x7099: channelDeposit',
      'chain > 0x7099: mined',
    ]);
    const blocks = sequence.items.flatMap((item) => (item.kind === 'block' ? [item.block] : []));
    expect(blocks).toEqual([NOW, 104n]);
  });

  it('notes at the node why a message was refused', () => {
    const effects = [{ type: 'report.refused', reason: 'too many locks' }];
    const step = stepOf({ seq: 1, event: hears('msg.update', PARTNER, transfer), effects });
    const { items } = sequenceOf([source(OWN, [step])], ALL);
    const arrows = items.flatMap((item) => (item.kind === 'arrow' ? [item.arrow] : []));
    expect(arrows.map(({ label, detail }) => [label, detail])).toContainEqual([
      'refused',
      'too many locks',
    ]);
  });

  it('leaves out blocks from which nothing followed', () => {
    const block = { type: 'chain.block' };
    const idle = stepOf({ seq: 1, event: block });
    const moved = stepOf({ seq: 2, event: block, move: ['closed', 'settling'] });
    expect(lines(sequenceOf([source(OWN, [idle, moved])], ALL))).toEqual(['chain > 0x7099: block']);
  });

  it('keeps the newest arrows and counts the others', () => {
    const sequence = sequenceOf([source(OWN, payment().payer)], { ...ALL, last: 2 });
    expect(lines(sequence)).toEqual([
      '0x7099 > caller: ok',
      '0x7099 > 0x3C44…93BC: Update: unlock',
    ]);
    expect(sequence.hidden).toBe(4);
  });

  it('says which steps are missing', () => {
    const cause = { from: 'outside' } as const;
    const of = { seq: 9, part: 0, actor: CHANNEL, cause, block: NOW, time: 1 };
    const missing: StepRecords = [{ ...of, kind: 'gap', first: 3, reason: 'old' }];
    expect(sequenceOf([source(OWN, [missing])], ALL).items.at(-1)).toEqual({
      kind: 'gap',
      text: 'steps 3 to 9: the journal no longer holds them',
    });
  });

  it('finds the steps about one payment', () => {
    const other = stepOf({ seq: 20, event: hears('msg.update', PARTNER, { nonce: 9n }) });
    const about = stepsAbout([...payment().payer, other], new Set([HASH]));
    expect(about).not.toContain(other);
    expect(about.map((step) => step[0]?.seq)).toEqual([11, 13, 14, 15]);
  });

  it('shows one arrow for an Update, with what it changes', () => {
    const changes = [lockOf(LOCK), PAID, lockOf({ ...LOCK, amount: 5n }), lockOf(LOCK), PAID];
    const step = stepOf({ seq: 1, effects: [sends(PARTNER, { ...transfer, changes })] });
    const [arrow] = arrowsOf(sequenceOf([source(OWN, [step])], ALL));
    expect(arrow?.label).toBe('Update: 3 locks, 2 unlocks');
    const lock = (amount: bigint) => `${amount} · until #120 · ${short(HASH)}`;
    expect(arrow?.detail).toBe(`nonce 3 · ${lock(10n)} · secret hidden · ${lock(5n)} · 2 more`);
  });

  it('shows of an Update what belongs to one payment, and that there is more', () => {
    const other = hashOf(2);
    const changes = [lockOf({ ...LOCK, secrethash: other }), { ...PAID, paymentId: 8n }, PAID];
    const message = { ...transfer, changes };
    const hashes = [other, hashOf(3), HASH];
    const said = stepOf({
      seq: 1,
      actor: CHANNEL,
      event: { type: 'actor.sign' },
      effects: [
        { type: 'record.proof', nonce: 3n, changes: hashes.map((secrethash) => ({ secrethash })) },
        sends(PARTNER, message),
      ],
    });
    const facts = hashes.map((secrethash) => ({ type: 'unlock', secrethash }));
    const heard = stepOf({
      seq: 2,
      actor: CHANNEL,
      event: { ...hears('msg.update', PARTNER, message), facts },
      effects: hashes.map((hash) => tells(`target:${hash}`, { type: 'actor.unlocked' })),
    });
    for (const step of [said, heard]) {
      const [about] = stepsAbout([step], new Set([HASH]));
      const [arrow] = arrowsOf(sequenceOf([source(OWN, about === undefined ? [] : [about])], ALL));
      expect(arrow?.label).toBe('Update: unlock');
      expect(arrow?.detail).toBe('nonce 3 · secret hidden · beside 2 of other payments');
    }
    const [told = []] = stepsAbout([heard], new Set([HASH]));
    const effects = told.flatMap((record) => (record.kind === 'effect' ? [record.effect] : []));
    expect(effects.map((effect) => effect['to'])).toEqual([TARGET]);
  });
});

describe('a sequence diagram of several nodes', () => {
  it('draws a message that both ends know as one arrow', () => {
    const { payer, payee } = payment();
    const sequence = sequenceOf([source(OWN, payer), source(PARTNER, payee)], ALL);
    expect(lines(sequence)).toEqual([
      '0x7099 > 0x3C44: Update: lock',
      '0x3C44 > 0x7099: Processed',
      '0x3C44 > 0x7099: SecretRequest',
      '0x7099 > 0x3C44: RevealSecret',
      '0x3C44 > 0x7099: RevealSecret',
      '0x7099 > caller: ok',
      '0x7099 > 0x3C44: Update: unlock',
    ]);
  });

  it('puts causes first even when the clock and the blocks of one node are far behind', () => {
    const { payer, payee } = payment();
    const behind = payee.map((step) =>
      step.map((record) => ({ ...record, block: 1n, time: -9e9 })),
    );
    const straight = sequenceOf([source(OWN, payer), source(PARTNER, payee)], ALL);
    const skewed = sequenceOf([source(PARTNER, behind), source(OWN, payer)], ALL);
    expect(lines(skewed).filter((line) => !line.includes('Processed'))).toEqual(
      lines(straight).filter((line) => !line.includes('Processed')),
    );
  });

  it('marks a message that has not arrived, and one that arrives again', () => {
    const { payer, payee } = payment();
    const unheard = sequenceOf([source(OWN, payer), source(PARTNER, payee.slice(0, -1))], ALL);
    expect(fateOf(unheard, 'Update: unlock')).toEqual(['open']);
    const twice = [...payee, stepOf({ seq: 30, event: hears('msg.update', OWN, transfer) })];
    const repeated = sequenceOf([source(OWN, payer), source(PARTNER, twice)], ALL);
    expect(fateOf(repeated, 'Update: lock')).toEqual(['told', 'again']);
    expect(fateOf(repeated, 'Processed')).toEqual(['told']);
  });

  it('goes on when two journals contradict each other', () => {
    const [a, b] = [
      { ...transfer, nonce: 1n },
      { ...transfer, nonce: 2n },
    ];
    const own = [
      stepOf({ seq: 1, event: hears('msg.update', PARTNER, b) }),
      stepOf({ seq: 2, effects: [sends(PARTNER, a)] }),
    ];
    const other = [
      stepOf({ seq: 1, event: hears('msg.update', OWN, a) }),
      stepOf({ seq: 2, effects: [sends(OWN, b)] }),
    ];
    const sequence = sequenceOf([source(OWN, own), source(PARTNER, other)], ALL);
    expect(lines(sequence)).toHaveLength(2);
  });
});

const arrowsOf = ({ items }: Sequence) =>
  items.flatMap((item) => (item.kind === 'arrow' ? [item.arrow] : []));

function fateOf({ items }: Sequence, label: string): string[] {
  return items.flatMap((item) =>
    item.kind === 'arrow' && item.arrow.label === label ? [item.arrow.fate] : [],
  );
}

function short(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
