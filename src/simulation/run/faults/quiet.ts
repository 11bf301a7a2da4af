/** Knows since when nothing has been in anybody's way: no fault, no attack, and all nodes at work. */
import type { Scenario } from '../../scenario/schema/schema.ts';
import type { NetworkPlan } from '../../scenario/topology.ts';
import type { World } from '../world.ts';
import type { Disturbances } from './disturbances.ts';
import type { Trust } from './trust.ts';

type Options = {
  scenario: Pick<Scenario, 'chain' | 'run'>;
  nodes: Pick<NetworkPlan['nodes'][number], 'isHonest'>[];
  /** Whether the scenario's steps stop, kill or pause nodes. */
  isInterrupted: boolean;
  trust: Pick<Trust, 'isTrusted'>;
  disturbances: Pick<Disturbances, 'latestBlock'>;
  inhabitants: World['inhabitants'];
  /** The chain's newest block, and the same as the scenario counts. */
  head(): bigint;
  block(): number;
};

/** In this time, and in so many blocks, what was lost is said again and taken when nothing is in the way any more. */
const HEALING_MS = 90_000;
const LEAST_HEALING = 8;

export type Quiet = ReturnType<typeof createQuiet>;

export function createQuiet(options: Options) {
  const { scenario, isInterrupted, trust, disturbances, head } = options;
  const { blocks, calm } = scenario.run;
  const hasCheats = options.nodes.some(({ isHonest }) => !isHonest);
  const healing = Math.ceil(HEALING_MS / (scenario.chain.blockTime * 1000));
  let lastBlock = 0n;
  let lastTroubled = 0n;

  const isAttacked = () => hasCheats && options.block() < Number(blocks - calm);
  const isAtWork = ({ machine }: World['inhabitants'][number]) => {
    const node = machine.node();
    return node?.status().status === 'ready' && node.isListening();
  };

  function undisturbedSince(): bigint | null {
    const isTroubled =
      isInterrupted ||
      options.inhabitants.some((one) => trust.isTrusted(one.index) && !isAtWork(one));
    if (isTroubled) lastTroubled = head();
    const disturbedBlock = disturbances.latestBlock();
    if (disturbedBlock > lastTroubled) lastTroubled = disturbedBlock;
    return lastTroubled === head() ? null : lastTroubled;
  }

  return {
    healing: BigInt(Math.max(LEAST_HEALING, healing)),
    /** The block since which nothing was in the way; null: something is. To be asked at each block. */
    since(): bigint | null {
      const untroubled = undisturbedSince();
      if (untroubled === null || isAttacked()) lastBlock = head();
      else if (untroubled > lastBlock) lastBlock = untroubled;
      return lastBlock === head() ? null : lastBlock;
    },
    /** The same, whatever attacks there are. */
    undisturbedSince,
  };
}
