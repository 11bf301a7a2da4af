/** The part of a scenario that can be carried out on a network of real processes. */
import { type Scenario, USUAL } from '../scenario/schema/schema.ts';
import type { Step } from '../scenario/schema/steps.ts';
import type { Fault } from '../scenario/schema/trouble.ts';

/** Faults that can be done to a real process from outside. */
const LIVE_FAULTS: readonly Fault['kind'][] = ['kill', 'kill_pair', 'pause', 'restart'];

type Terms = {
  /** Seconds between two blocks of the real chain. */
  blockTime: number;
  /** The real chain's confirmations: blocks on top of a block before nodes act on it. */
  confirmations: bigint;
};

/**
 * `left`: what was left out, in words. The simulation runs the reduced scenario as well, so that both can be
 * compared.
 */
export function liveScenario(
  given: Scenario,
  terms: Terms,
): { scenario: Scenario; left: string[] } {
  const { network, chain, defaults, nodes, services, faults, attacks, steps, traffic } = given;
  const kept = faults.filter(isLive);
  const foreign = faults.filter((fault) => !isLive(fault)).map(({ kind }) => kind);
  const isPlain = ({ fees, behaviour, gasMoney, core, keepHistory }: Scenario['defaults']) =>
    [behaviour, gasMoney, core, keepHistory].every((one) => one === null) &&
    Object.values(fees).every((fee) => fee === null);
  const hasChainTrouble =
    chain.reorganisations !== null || chain.congestion.length + chain.priceSpikes.length > 0;
  const left = [
    ...(foreign.length > 0 ? [`the faults ${[...new Set(foreign)].join(', ')}`] : []),
    ...(attacks.length > 0 ? ['attacks'] : []),
    ...(steps.every(isLiveStep)
      ? []
      : ['joining, user deposits, trying channels, and payments over given paths']),
    ...(traffic.some(({ perDay }) => perDay !== null) ? ['what payers may pay a day'] : []),
    ...(isPlain(defaults) && nodes.every(isPlain)
      ? []
      : ['fees, behaviour, gas money, cores and history of nodes']),
    ...(nodes.some((node) => node.revealTimeout !== null)
      ? ['reveal timeouts of single nodes']
      : []),
    ...(network.lines.length > 0 ? ['lines of their own'] : []),
    ...(hasChainTrouble ? ['reorganisations, congestion and price spikes'] : []),
    ...(services.pathFinding.kind === 'local' ? [] : ['the kind of path finding']),
    ...(services.monitoring.count > 0 ? ['monitoring services'] : []),
  ];
  const scenario: Scenario = {
    ...given,
    network: { ...network, lines: [] },
    chain: {
      ...chain,
      ...terms,
      jitter: 0,
      startBlock: 1n,
      reorganisations: null,
      congestion: [],
      priceSpikes: [],
    },
    defaults: { ...plain(defaults), revealTimeout: defaults.revealTimeout ?? USUAL.revealTimeout },
    nodes: nodes.map((node) => ({ ...node, ...plain(node), revealTimeout: null })),
    services: { ...services, pathFinding: { kind: 'local' } },
    steps: steps.filter(isLiveStep),
    traffic: traffic.map((flow) => ({ ...flow, perDay: null })),
    faults: kept,
    attacks: [],
  };
  return { scenario, left };
}

function isLive({ kind }: Fault): boolean {
  return LIVE_FAULTS.includes(kind);
}

const SIMULATED: ReadonlySet<Step['do']> = new Set([
  'try_channels',
  'join',
  'fill_user_deposit',
  'plan_user_withdrawal',
  'withdraw_user_deposit',
]);

const isLiveStep = (step: Step): boolean =>
  step.do === 'pay' ? step.path === null : !SIMULATED.has(step.do);

/** The settings with every node's default fees, behaviour and gas money, and on a core that is fast enough. */
function plain<T extends Scenario['defaults']>(settings: T): T {
  const fees = { flat: null, proportionalPpm: null, imbalancePpm: null, cap: null };
  return { ...settings, fees, behaviour: null, gasMoney: null, core: null, keepHistory: null };
}
