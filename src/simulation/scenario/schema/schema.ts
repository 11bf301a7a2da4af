/**
 * A scenario: a network, what happens in it, and what is expected of it. Files are YAML (JSON is YAML, too)
 * with keys_like_this; inside the program keys are likeThis. `docs/simulation.md` explains the fields.
 */
import * as v from 'valibot';
import { DEFAULT_FEE_TERMS, type FeeTerms } from '../../../protocol/fees/fee-terms.ts';
import { HIGHEST_SEED } from '../../world/seeds.ts';
import { ETHER_UNITS, tokenUnits } from '../numbers/quantities.ts';
import { boundsSchema } from './bounds.ts';
import { expectationList } from './expectations.ts';
import { chainSchema, networkSchema, type ReadFile } from './network.ts';
import { PLANS } from './plans.ts';
import { stepList } from './steps.ts';
import { flowSchema } from './traffic.ts';
import { attackList, faultList } from './trouble.ts';
import {
  type Amount,
  blocks,
  decimal,
  list,
  MOST_BLOCKS,
  maybe,
  object,
  oneOf,
  partsPerMillion,
  quantity,
  role,
  selection,
  share,
  tag,
  text,
  whole,
  word,
} from './values.ts';

/** What a node charges; absent fields keep the node's own default, or that of all nodes. */
function feesSchema(amount: Amount) {
  return object({
    flat: maybe(amount),
    proportionalPpm: maybe(partsPerMillion(1_000_000, 'Of the amount')),
    imbalancePpm: maybe(partsPerMillion(50_000, 'Of the capacity of a channel, at worst')),
    cap: maybe(
      v.pipe(v.boolean('must be true or false'), v.description('Never pay for being used')),
    ),
  });
}

function settingsOf(amount: Amount) {
  return {
    fees: v.optional(v.pipe(feesSchema(amount), v.title('fees')), {}),
    revealTimeout: maybe(blocks(1, 10_000, 'Absent: 50')),
    settleTimeout: maybe(blocks(2, 100_000, 'Of the channels that it opens; absent: 500')),
    gasMoney: maybe(quantity(ETHER_UNITS, 'amount of ether')),
    sells: maybe(blocks(1, 10_000, 'Each payment to it buys what is offered for so long')),
    core: maybe(
      v.pipe(
        decimal(0.001, 1_000),
        v.description('Share of a core that it has; absent: its code takes no time, as a cheat’s'),
      ),
    ),
    behaviour: maybe(
      v.pipe(
        word(['honest', 'silent', ...PLANS]),
        v.title('`honest`, `silent` (never answers) or a plan'),
      ),
    ),
    keepHistory: maybe(
      v.pipe(
        whole(1, 1_000_000_000),
        v.description('Seconds after which it forgets payments and journals; absent: never'),
      ),
    ),
    bounds: v.optional(boundsSchema, {}),
    standby: maybe(
      v.pipe(
        object({
          takeoverAfter: maybe(
            v.pipe(whole(1, 86_400), v.description('Seconds; absent: it takes over when told')),
          ),
        }),
        v.description(
          'A second machine follows its database, and takes over after so much silence',
        ),
      ),
    ),
  };
}

function nodesSchema(amount: Amount) {
  return list(object({ nodes: selection, role: maybe(role), ...settingsOf(amount) }), 200);
}

/** Ways in which a path-finding service can lie. */
const LIES = ['loops', 'foreign_channels', 'other_chain', 'dear', 'slow', 'endless'] as const;
export type Lie = (typeof LIES)[number];

const servicesSchema = object({
  pathFinding: v.optional(
    oneOf('kind', [
      object({ kind: tag('none', 'Nodes pay only partners') }),
      object({ kind: tag('local', 'Each node searches on its own copy of the network') }),
      object({ kind: tag('shared', 'All search on one copy: for hundreds of nodes and more') }),
      object({
        kind: tag('services', 'They ask services, which know the network'),
        count: v.optional(whole(1, 20), 1),
        lies: maybe(
          v.pipe(word(LIES), v.description('What is wrong with the routes that it answers')),
        ),
      }),
    ]),
    { kind: 'local' },
  ),
  monitoring: v.optional(
    object({
      count: v.optional(whole(0, 20), 0),
      lazy: v.optional(v.pipe(whole(0, 20), v.description('So many of them never act')), 0),
      reward: v.optional(
        quantity(tokenUnits(18), 'amount of service tokens (18 decimals)'),
        '1 token',
      ),
    }),
    {},
  ),
});

/** How often a run uses the real thing: decided at random for each seed, so that a few of many seeds do. */
function chance<const Fast extends string, const Real extends string>(fast: Fast, real: Real) {
  const message = `must be ${fast}, ${real}, or the share of the seeds that take ${real}, from 0 to 1`;
  return v.pipe(
    v.union([word([fast, real]), share], message),
    v.description(`A share: of the seeds that take ${real}`),
    v.transform((given) => ({
      realShare: typeof given === 'number' ? given : given === real ? 1 : 0,
    })),
  );
}

const runSchema = object({
  blocks: v.optional(blocks(1, MOST_BLOCKS, 'Length of the run'), 1_000),
  calm: v.optional(
    blocks(0, MOST_BLOCKS, 'Last blocks: no new payments, no faults; what is under way must end'),
    200,
  ),
  crypto: v.optional(chance('fast', 'real'), 'fast'),
  disk: v.optional(chance('memory', 'file'), 'memory'),
  parts: v.optional(
    v.pipe(
      whole(1, 16),
      v.description(
        'Threads that share the nodes of a large network: of one with traffic and nothing else',
      ),
    ),
    1,
  ),
  checked: v.optional(
    v.pipe(
      selection,
      v.description('The nodes of which the invariants are checked: in a large network a few do'),
    ),
    'all',
  ),
});

/** `decimals`: of the scenario's token, in which its amounts are written. */
export function scenarioSchema(decimals: number, readFile: ReadFile) {
  const amount = quantity(tokenUnits(decimals));
  return object({
    version: v.literal(1, 'must be 1'),
    name: maybe(
      v.pipe(
        v.string('must be a name'),
        v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must have lower-case letters, digits and single -'),
        v.maxLength(80, 'must have at most 80 letters'),
      ),
    ),
    title: text(120),
    description: v.pipe(text(2_000), v.description('What it shows, in one paragraph for people')),
    seed: v.optional(whole(0, HIGHEST_SEED), 1),
    network: networkSchema(decimals, amount, readFile),
    chain: v.optional(chainSchema, {}),
    defaults: v.optional(v.pipe(object(settingsOf(amount)), v.description('Of all nodes')), {}),
    nodes: nodesSchema(amount),
    services: v.optional(servicesSchema, {}),
    traffic: list(flowSchema(amount), 100),
    steps: stepList(amount),
    faults: faultList,
    attacks: attackList,
    run: v.optional(runSchema, {}),
    expectations: expectationList(amount),
  });
}

/** A scenario with all defaults filled in. */
type ParsedScenario = v.InferOutput<ReturnType<typeof scenarioSchema>>;
export type Scenario = Omit<ParsedScenario, 'name'> & { name: string };
export type Settings = Scenario['defaults'];
export type Behaviour = NonNullable<Settings['behaviour']>;

/** The defaults of a node. Timeouts in blocks, gas money in wei. */
export const USUAL = {
  fees: DEFAULT_FEE_TERMS,
  revealTimeout: 50n,
  settleTimeout: 500n,
  gasMoney: 10n ** 18n,
  behaviour: 'honest',
} as const satisfies {
  fees: FeeTerms;
  revealTimeout: bigint;
  settleTimeout: bigint;
  gasMoney: bigint;
  behaviour: Behaviour;
};
