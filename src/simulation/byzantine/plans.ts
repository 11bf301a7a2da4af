/** The named attacks. Each is a program made of the same moves that the generator draws from. */
import type { Address } from '../../basics/hex.ts';
import { MESSAGES, type SentMessage } from '../../protocol/messages/table.ts';
import type { Junk, Move } from '../scenario/schema/moves.ts';
import type { Draw } from '../world/randomness.ts';
import { createFeeDrain } from './fee-drain.ts';
import { locksOf } from './forgeries.ts';
import { createFreeRider, type ServiceContracts } from './free-rider.ts';
import { createHostileBroker } from './hostile-broker.ts';
import { drawPlan, every } from './moves.ts';
import type { Group, Market, Power, Program } from './program.ts';
import { createSchemer, type Schemer } from './schemer.ts';
import { createWorthlessChannels } from './worthless-channels.ts';

export type PlanFacts = {
  name: string;
  powers: ReadonlyMap<Address, Power>;
  everybody: readonly Address[];
  victims: readonly Address[];
  secretRegistry: Address;
  chainId: bigint;
  services: ServiceContracts;
  token: Address;
  /** A token that only attacks have, with its network; null: there is none. */
  junk(kind: Junk): Market | null;
  channelId(network: Address, pair: readonly [Address, Address]): bigint;
  draw: Draw;
  /** The moves of a written plan (`moves`). */
  moves: readonly Move[];
  onMove(text: string): void;
};
type Attack = (facts: PlanFacts) => Program;

function scheme(plan: (facts: PlanFacts) => readonly Move[]): Attack {
  return (facts) => createSchemer({ ...facts, plan: plan(facts) });
}

/** Its nodes behave honestly, but for these habits; the attack acts beside them. */
function beside(
  attack: (facts: PlanFacts) => Pick<Program, 'block' | 'overhears'>,
  habits: readonly Move[] = [],
): Attack {
  return (facts) => ({ ...createSchemer({ ...facts, plan: habits }), ...attack(facts) });
}

/** After each unlock, locks the same secrethash again in the same payload. */
const ghostMediator: Attack = (facts) => {
  const schemer = createSchemer({ ...facts, plan: [] });
  const behind = (from: Address, { to, messages }: Group): readonly Group[] => {
    const groups = schemer.outgoing?.(from, { to, messages }) ?? [];
    const power = facts.powers.get(from);
    return groups.map((group) => ({
      ...group,
      messages: group.messages.flatMap((line) => withTwin(facts, schemer, power, line, to)),
    }));
  };
  return { ...schemer, outgoing: behind };
};

function withTwin(
  { onMove }: PlanFacts,
  { again }: Schemer,
  power: Power | undefined,
  line: SentMessage,
  to: Address,
): SentMessage[] {
  const { message } = line;
  if (message.type !== 'Update' || power === undefined) return [line];
  const paid = new Set(
    message.changes.flatMap((one) => (one.type === 'unlock' ? one.paymentId : [])),
  );
  const locked = locksOf(power).find(({ isSent, change }) => isSent && paid.has(change.paymentId));
  if (locked === undefined) return [line];
  onMove('locks the same secrethash again');
  return [line, again(power, to, { ...message, changes: [locked.change] })];
}

/** Closes with balance proofs that are no longer the newest. */
const staleClose = scheme(({ draw }) =>
  Array.from({ length: 20 }, (_, n): Move => {
    const age = draw.integer(1, 12);
    return { do: 'close', after: BigInt(5 * n), index: n, age };
  }),
);

/** Nobody learns the secrets of its payments: they come with no lock, and are not asked for. */
const HELD: readonly Move[] = [
  { do: 'seal', type: 'lock', what: 'nothing', skip: 0, times: 1_000_000 },
  every('SecretRequest', 'drop'),
  every('SecretRequest', 'ignore'),
];

/** Many payments of `amount` that nobody ever finishes: their locks end by running out. */
function jamming(amount: bigint, perBlock: number): Attack {
  return (facts) => {
    const { powers, victims, draw, token, onMove } = facts;
    const schemer = createSchemer({ ...facts, plan: HELD });
    return {
      ...schemer,
      isHolding: true,
      block(head) {
        schemer.block?.(head);
        const [first] = powers.values();
        const targets = powers.size > 1 ? [...powers.keys()].slice(1) : victims;
        const node = first?.node();
        if (!node || targets.length === 0) return;
        onMove(`locks ${perBlock} times ${amount}`);
        for (let left = perBlock; left > 0; left--) {
          const request = { token, target: draw.pick(targets), amount, lockTimeout: null };
          const open = { paymentId: null, secret: null, secrethash: null, routes: null };
          node.pay({ ...request, ...open }).catch(() => {});
        }
      },
    };
  };
}

/** Messages of one type after the other, so many at once that a node which reads them all has no time for anything else. */
const flooding = scheme(({ draw, everybody }) =>
  Array.from({ length: 12 }, (_, n): Move => {
    const to = draw.integer(0, everybody.length - 1);
    const type = draw.pick(MESSAGES.types);
    const size = { times: draw.integer(50, 400), payloads: draw.integer(1, 4) };
    return { do: 'flood', after: BigInt(3 * n), to, type, ...size, blocks: 2n };
  }),
);

/** They cost the payer next to nothing, and bind its partner for ever. */
const endlessLocks = scheme(() =>
  Array.from({ length: 12 }, (_, n): Move => {
    const value = { kind: 'constant', value: 2n ** 200n } as const;
    const lock = { do: 'forge', what: 'lock', secret: 'own', times: 1, until: null } as const;
    return { ...lock, after: BigInt(3 * n), index: n, value };
  }),
);

const silent: Attack = ({ name }) => ({ name, outgoing: () => [], incoming: () => false });

/** A plan that the generator draws. */
const random = scheme(({ draw }) => drawPlan(draw, { moves: draw.integer(0, 14), blocks: 60 }));

/** The moves that the scenario gives. */
const written: Attack = (facts) => createSchemer({ ...facts, plan: facts.moves });

const ATTACKS: Readonly<Record<string, Attack>> = {
  silent,
  random,
  moves: written,
  ghost_mediator: ghostMediator,
  stale_close: staleClose,
  dust: jamming(1n, 30),
  lock_jamming: jamming(10n ** 17n, 8),
  withheld_unlocks: scheme(() => [every('unlock', 'drop')]),
  late_unlocks: scheme(() => [every('unlock', { hold: 14 })]),
  never_acknowledges: scheme(() => [every('Processed', 'drop'), every('Sync', 'drop')]),
  endless_locks: endlessLocks,
  flood: flooding,
  late_reveal: scheme(() => [every('RevealSecret', { hold: 45 })]),
  start_end: scheme(() => [
    every('RevealSecret', { hold: 40 }),
    every('unlock', 'drop'),
    { do: 'close', after: 30n, index: 0, age: 1 },
    { do: 'register', after: 31n, index: 0 },
  ]),
  withdraw_race: scheme(({ draw }) =>
    Array.from({ length: 40 }, (_, n): Move => {
      const value = { kind: 'scaled', by: 10n ** 15n } as const;
      const after = BigInt(3 * n);
      const forged = {
        do: 'forge',
        after,
        index: n,
        value,
        times: 2,
        secret: 'own',
        until: null,
      } as const;
      return draw.happens(0.5)
        ? { ...forged, what: draw.pick(['withdraw', 'consent'] as const) }
        : { do: 'withdraw', after, index: n };
    }),
  ),
  front_run_registration: scheme(() =>
    Array.from({ length: 60 }, (_, n): Move => ({ do: 'register', after: BigInt(n), index: n })),
  ),
  fee_drain: beside(createFeeDrain),
  free_rider: beside(createFreeRider),
  hostile_broker: beside(createHostileBroker),
  small_settle_timeout: scheme(() => [every('RevealSecret', { hold: 20 })]),
  worthless_channels: beside(createWorthlessChannels, [every('RevealSecret', 'ignore')]),
};

/** The program of an attack. Throws when there is none of this name; scenarios are checked against the same list. */
export function planOf(name: string, facts: PlanFacts): Program {
  const attack = ATTACKS[name];
  if (attack === undefined) throw new Error(`simulation: there is no attack ${name}`);
  return attack(facts);
}
