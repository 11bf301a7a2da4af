/** Checks that no single field can make: whether the parts of a scenario fit together. */

import { larger } from '../../basics/amount.ts';
import { leastRevealTimeout, takesOverInTime } from '../../protocol/channel/expiration.ts';
import type { Distribution } from './schema/network.ts';
import type { Plan } from './schema/plans.ts';
import { type Scenario, USUAL } from './schema/schema.ts';
import type { Selection } from './schema/selection.ts';
import type { Schedule } from './schema/trouble.ts';

type Path = readonly (string | number)[];
type Found = { path: Path; text: string };

export function problemsOf(scenario: Scenario): Found[] {
  return [
    ...topologyProblems(scenario),
    ...timeProblems(scenario),
    ...timeoutProblems(scenario),
    ...selectionProblems(scenario),
    ...stepProblems(scenario),
    ...attackProblems(scenario),
    ...amountProblems(scenario),
    ...serviceProblems(scenario),
    ...partProblems(scenario),
  ];
}

/** What happens in one part of the world another hears of only when it is said over the network, or on chain. */
function partProblems({
  run,
  faults,
  attacks,
  steps,
  services,
  chain,
  ...scenario
}: Scenario): Found[] {
  if (run.parts === 1) return [];
  const settings = [scenario.defaults, ...scenario.nodes];
  const hinders: readonly (readonly [boolean, string])[] = [
    [faults.length > 0, 'faults'],
    [attacks.length > 0, 'attacks'],
    [settings.some(({ behaviour }) => (behaviour ?? 'honest') !== 'honest'), 'dishonest nodes'],
    [steps.length > 0, 'steps'],
    [settings.some(({ standby }) => (standby ?? null) !== null), 'standbys'],
    [services.pathFinding.kind !== 'shared', 'any path_finding other than shared'],
    [services.monitoring.count > 0, 'monitoring'],
    [(chain.reorganisations ?? null) !== null, 'reorganisations'],
  ];
  return hinders.flatMap(([isThere, what]) =>
    isThere ? [{ path: ['run', 'parts'], text: `must be 1 in a run with ${what}` }] : [],
  );
}

/** How many nodes the network has. */
export function nodeCount({ network: { topology } }: Scenario): number {
  if (topology.kind === 'grid') return topology.rows * topology.columns;
  if (topology.kind === 'import') return topology.channels.names.length;
  return topology.nodes;
}

function topologyProblems({ network: { topology } }: Scenario): Found[] {
  const at = (field: string, text: string) => [{ path: ['network', 'topology', field], text }];
  if (topology.kind === 'scale_free' && topology.links >= topology.nodes)
    return at('links', 'must be less than the number of nodes');
  if (topology.kind !== 'small_world') return [];
  if (topology.neighbours % 2 === 1) return at('neighbours', 'must be even');
  if (topology.neighbours >= topology.nodes)
    return at('neighbours', 'must be less than the number of nodes');
  return [];
}

function timeProblems({ run, steps, traffic, faults, attacks }: Scenario): Found[] {
  const found: Found[] = [];
  const late = (path: Path, block: bigint) => {
    if (block >= run.blocks)
      found.push({ path, text: `must be before the run ends, at ${run.blocks}` });
  };
  const order = (path: Path, from: bigint, until: bigint | null) => {
    if (until !== null && until <= from)
      found.push({ path, text: 'must be later than from_block' });
  };
  if (run.calm >= run.blocks)
    found.push({ path: ['run', 'calm'], text: 'must be shorter than the run (run.blocks)' });
  for (const [n, step] of steps.entries()) {
    late(['steps', n, 'at_block'], step.atBlock);
    if (step.do === 'await_settled') late(['steps', n, 'within'], step.atBlock + step.within);
  }
  for (const [n, flow] of traffic.entries()) {
    late(['traffic', n, 'from_block'], flow.fromBlock);
    order(['traffic', n, 'until_block'], flow.fromBlock, flow.untilBlock);
    if (flow.rate.kind === 'bursts' && flow.rate.withinBlocks > flow.rate.everyBlocks)
      found.push({
        path: ['traffic', n, 'rate', 'within_blocks'],
        text: 'must not be above every_blocks',
      });
  }
  for (const [n, { when }] of faults.entries()) {
    late(['faults', n, 'when'], startOf(when));
    if (when.kind === 'rate')
      order(['faults', n, 'when', 'until_block'], when.fromBlock, when.untilBlock);
  }
  for (const [n, attack] of attacks.entries()) late(['attacks', n, 'from_block'], attack.fromBlock);
  return found;
}

function startOf(when: Schedule): bigint {
  if (when.kind === 'after') return 0n;
  return when.kind === 'once' ? when.atBlock : when.fromBlock;
}

/** Honest nodes refuse to start with timeouts that leave no time to register a secret. */
function timeoutProblems({ chain, defaults, nodes }: Scenario): Found[] {
  const least = leastRevealTimeout(chain.confirmations);
  const all = [{ path: ['defaults'], settings: defaults }];
  const some = nodes.map((settings, n) => ({ path: ['nodes', n], settings }));
  return [...all, ...some].flatMap(({ path, settings }) => {
    const reveal = settings.revealTimeout ?? defaults.revealTimeout ?? USUAL.revealTimeout;
    const settle = settings.settleTimeout ?? defaults.settleTimeout ?? USUAL.settleTimeout;
    const behaviour = settings.behaviour ?? defaults.behaviour ?? USUAL.behaviour;
    if (behaviour !== 'honest') return [];
    if (reveal < least)
      return [
        {
          path: [...path, 'reveal_timeout'],
          text: `must be at least ${least} with ${chain.confirmations} confirmations`,
        },
      ];
    if (settle < 2n * reveal)
      return [
        {
          path: [...path, 'settle_timeout'],
          text: `must be at least twice the reveal timeout, ${2n * reveal}`,
        },
      ];
    const { takeoverAfter = null } = settings.standby ?? defaults.standby ?? {};
    const time = { revealTimeout: reveal, blockSeconds: chain.blockTime };
    if (takeoverAfter === null || takesOverInTime(takeoverAfter, time)) return [];
    return [
      {
        path: [...path, 'standby', 'takeover_after'],
        text: `must be at most ${Math.floor(Number(reveal / 2n) * chain.blockTime)} s, half of the reveal timeout: else what the node has promised can be lost before its standby is there`,
      },
    ];
  });
}

function selectionProblems(scenario: Scenario): Found[] {
  const count = nodeCount(scenario);
  const known = new Set<string>(['node']);
  const found: Found[] = [];
  const check = (path: Path, selection: Selection) =>
    found.push(...selection.flatMap((part) => selectedProblems(path, part, { count, known })));
  for (const [n, entry] of scenario.nodes.entries()) {
    check(['nodes', n, 'nodes'], entry.nodes);
    if (entry.role !== null) known.add(entry.role);
  }
  for (const [n, { between }] of scenario.network.lines.entries())
    for (const [m, end] of between.entries()) check(['network', 'lines', n, 'between', m], end);
  for (const [n, { from, to }] of scenario.traffic.entries()) {
    if (from.kind === 'nodes') check(['traffic', n, 'from', 'nodes'], from.nodes);
    if (to.kind === 'nodes') check(['traffic', n, 'to', 'nodes'], to.nodes);
  }
  for (const [n, step] of scenario.steps.entries())
    if ('nodes' in step) check(['steps', n, 'nodes'], step.nodes);
  for (const [n, fault] of scenario.faults.entries()) {
    if ('nodes' in fault) check(['faults', n, 'nodes'], fault.nodes);
    if (fault.kind === 'partition')
      for (const [m, group] of fault.groups.entries()) check(['faults', n, 'groups', m], group);
  }
  for (const [n, attack] of scenario.attacks.entries()) {
    check(['attacks', n, 'nodes'], attack.nodes);
    check(['attacks', n, 'victims'], attack.victims);
  }
  check(['run', 'checked'], scenario.run.checked);
  return found;
}

type Known = { count: number; known: ReadonlySet<string> };

function selectedProblems(path: Path, part: Selection[number], { count, known }: Known): Found[] {
  if (part.kind === 'role' && !known.has(part.role))
    return [{ path, text: `names the role "${part.role}", which "nodes" gives to nobody` }];
  const highest = part.kind === 'range' ? part.last + 1 : 'count' in part ? part.count : 0;
  return highest > count
    ? [{ path, text: `names more nodes than there are: ${count}, from 0 to ${count - 1}` }]
    : [];
}

function stepProblems(scenario: Scenario): Found[] {
  const count = nodeCount(scenario);
  return scenario.steps.flatMap((step, n) => {
    if (!('node' in step)) return [];
    const at = (key: string, text: string) => ({ path: ['steps', n, key], text });
    if (step.node >= count) return [at('node', `must be a node from 0 to ${count - 1}`)];
    if (!('to' in step || 'partner' in step)) return [];
    const [field, other] = step.do === 'pay' ? ['to', step.to] : ['partner', step.partner];
    if (other >= count) return [at(field, `must be a node from 0 to ${count - 1}`)];
    const isCircular = step.do === 'pay' && step.path !== null;
    return step.node === other && !isCircular ? [at(field, 'must be another node')] : [];
  });
}

/** Plans that hold locks until they run out. */
const HOLDING: ReadonlySet<string> = new Set<Plan>(['dust', 'lock_jamming']);
/** Blocks in which a lock that has run out is taken back by all, beyond twice the confirmations. */
const TAKEN_BACK = 10n;

function attackProblems({ attacks, chain, defaults, nodes, run }: Scenario): Found[] {
  const reveals = [defaults, ...nodes].map(({ revealTimeout }) => revealTimeout);
  const longest = reveals.reduce<bigint>(
    (most, reveal) => larger(most, reveal ?? 0n),
    defaults.revealTimeout ?? USUAL.revealTimeout,
  );
  const least = 2n * longest + 2n * chain.confirmations + TAKEN_BACK;
  return attacks.flatMap(({ plan, moves }, n) => {
    if (HOLDING.has(plan) && run.calm < least)
      return [
        {
          path: ['attacks', n, 'plan'],
          text: `needs a calm phase (run.calm) of at least ${least}: the locks that it holds end by running out`,
        },
      ];
    if ((plan === 'moves') === moves.length > 0) return [];
    const text = plan === 'moves' ? 'must list some' : 'belong to the plan "moves"';
    return [{ path: ['attacks', n, 'moves'], text }];
  });
}

function amountProblems({ network, traffic }: Scenario): Found[] {
  return [
    ...distributionProblems(['network', 'capacity'], network.capacity),
    ...traffic.flatMap(({ amount }, n) => distributionProblems(['traffic', n, 'amount'], amount)),
  ];
}

function distributionProblems(path: Path, amount: Distribution): Found[] {
  const below = (field: string) => [
    { path: [...path, 'most'], text: `must not be below ${field}` },
  ];
  if (amount.kind === 'constant') return [];
  if (amount.kind === 'lognormal')
    return amount.most !== null && amount.most < amount.median ? below('median') : [];
  return amount.most !== null && amount.most < amount.least ? below('least') : [];
}

function serviceProblems({ services: { monitoring } }: Scenario): Found[] {
  return monitoring.lazy > monitoring.count
    ? [{ path: ['services', 'monitoring', 'lazy'], text: 'must not be above count' }]
    : [];
}
