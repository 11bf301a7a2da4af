/** Results of runs that never were, with all that a report can show; the same for the same seed. */
import type {
  ChannelResult,
  FaultPeriod,
  Histogram,
  NodeResult,
  RunResult,
  SeriesPoint,
} from '../../src/simulation/report/results/result.ts';
import { createRandomness, type Draw } from '../../src/simulation/world/randomness.ts';

const TOKEN = 10n ** 18n;
const BLOCKS = 1200;
const BUCKET = 5;

export type SyntheticOptions = {
  seed?: number;
  nodes?: number;
  isBroken?: boolean;
  skill?: number;
};

/** `skill`: how much of what is possible arrives, 0 to 1. */
export function syntheticResult(options: SyntheticOptions = {}): RunResult {
  const { seed = 7, nodes: count = 60, isBroken = false, skill = 1 } = options;
  const draw = createRandomness(seed).of('synthetic result');
  const channels = drawChannels(draw, count);
  const nodes = drawNodes(draw, count, channels, isBroken);
  const faults = drawFaults();
  const series = drawSeries(draw, { count, faults, skill });
  const totalOf = (of: (point: SeriesPoint) => number) =>
    series.reduce((sum, point) => sum + of(point), 0);
  const succeeded = totalOf((point) => point.succeeded);
  const failed = totalOf((point) => point.failed);
  const lost = 12n * TOKEN + 345n;
  return {
    version: 1,
    scenario: {
      name: 'stormy-city',
      title: 'A city of shops in three storms',
      description: 'Customers pay shops through hubs while messages get lost and hubs are killed.',
    },
    seed,
    commit: 'c0476195b28240d088f98c3697dca77a853',
    trace: `9f${seed}c2b7a0d1e4f5aa1027`,
    verdict: isBroken ? 'failed' : 'passed',
    violation: isBroken ? violation(lost) : null,
    token: { symbol: 'DAI', decimals: 18 },
    steps: 1_204_551,
    virtualMs: BLOCKS * 12_000,
    blocks: BLOCKS,
    wallMs: 48_211.4,
    nodes,
    channels,
    series,
    faults,
    payments: {
      started: totalOf((point) => point.started),
      succeeded,
      failed: reasons(failed),
    },
    histograms: {
      latencyBlocks: drawHistogram(draw, { first: 0, last: 14, peak: 1, size: succeeded }),
      latencyMs: [],
      latencyMessages: drawHistogram(draw, { first: 12, last: 96, peak: 24, size: succeeded }),
      lockSlackBlocks: drawHistogram(draw, { first: 6, last: 48, peak: 38, size: succeeded * 2 }),
    },
    dangerSlackBlocks: 10,
    messagesByType: {
      Update: succeeded * 6 + failed,
      Processed: succeeded * 9,
      SecretRequest: succeeded,
      RevealSecret: succeeded * 4,
      Sync: 812,
      WithdrawRequest: 44,
      WithdrawConfirmation: 41,
      Delivered: 5,
    },
    transactionsByType: {
      openChannel: { count: channels.length, gas: channels.length * 96_211 },
      setTotalDeposit: { count: channels.length * 2, gas: channels.length * 2 * 61_004 },
      closeChannel: { count: 31, gas: 31 * 110_004 },
      settleChannel: { count: 29, gas: 3_510_022 },
      registerSecret: { count: 12, gas: 552_144 },
      updateTransfer: { count: 17, gas: 1_412_000 },
    },
    cheats: [],
    expectations: [
      { text: 'success_rate >= 0.95', actual: '0.9714', isMet: true },
      { text: 'loss(honest) == 0', actual: isBroken ? '12.0 DAI' : '0', isMet: !isBroken },
      { text: 'p99_latency < 8 blocks', actual: '7 blocks', isMet: true },
      { text: 'stuck_locks == 0', actual: '0', isMet: true },
    ],
    invariants: INVARIANTS.map((name, at) => ({
      number: at + 1,
      name,
      checks: 90_412,
    })),
    bounds: {},
    faultPoints: {
      'store.commit.before': 12,
      'store.commit.after': 9,
      'publish.lost': 4411,
      'chain.reorg': 3,
      'disk.full': 0,
    },
  };
}

const INVARIANTS = [
  'no token is made',
  'nobody honest loses',
  'one signature per nonce',
  'locks end',
  'deadlines are met',
  'the disk knows all that was said',
];

function violation(lost: bigint): RunResult['violation'] {
  return {
    invariant: '2 nobody honest loses',
    step: 812_004,
    block: 811,
    node: 4,
    lost,
    text: 'node 4 owns 12.000000000000000345 DAI less than its proofs say: the partner’s unlock was not kept',
    lastEvents: [
      'step 811998 block 811 node 3 → node 4: Update nonce 41',
      'step 812001 block 811 node 4 killed between commit and answer',
      'step 812004 block 811 node 4 restored <from the row of nonce 40>',
    ],
  };
}

function drawChannels(draw: Draw, count: number): ChannelResult[] {
  const ends: number[] = [0];
  const channels: ChannelResult[] = [];
  for (let node = 1; node < count; node++) {
    const partners = new Set<number>();
    for (let n = 0; n < Math.min(node, draw.integer(1, 8)); n++) partners.add(draw.pick(ends));
    for (const partner of partners) {
      channels.push(drawChannel(draw, node, partner));
      ends.push(partner, node);
    }
  }
  return channels;
}

function drawChannel(draw: Draw, a: number, b: number): ChannelResult {
  const whole = 200n * TOKEN;
  const endA = draw.happens(0.1) ? draw.bigint(0n, 2n * TOKEN) : draw.bigint(0n, whole);
  const flow = draw.fraction() * draw.fraction() * draw.fraction();
  const flowAB = draw.happens(0.12) ? 0n : BigInt(Math.floor(flow * 5e6)) * 10n ** 15n;
  return {
    a,
    b,
    beginA: 100n * TOKEN,
    beginB: 100n * TOKEN,
    depositA: 100n * TOKEN,
    depositB: 100n * TOKEN,
    withdrawnA: 0n,
    withdrawnB: 0n,
    endA,
    endB: whole - endA,
    flowAB,
    flowBA: flowAB / 2n,
    payments: Math.floor(flow * 4000),
    feesA: flowAB / 1000n,
    feesB: flowAB / 2000n,
    state: draw.happens(0.02) ? 'settled' : 'open',
  };
}

function drawNodes(
  draw: Draw,
  count: number,
  channels: readonly ChannelResult[],
  isBroken: boolean,
): NodeResult[] {
  const degrees = new Map<number, number>();
  for (const { a, b } of channels) {
    for (const end of [a, b]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  }
  return Array.from({ length: count }, (_, index) => {
    const degree = degrees.get(index) ?? 0;
    const isHonest = index === 0 || index % 37 !== 0;
    const feesEarned = BigInt(degree * degree * draw.integer(0, 400)) * 10n ** 12n;
    const wealthBefore = BigInt(degree) * 100n * TOKEN;
    return {
      index,
      name: `node ${index}`,
      isHonest,
      address: `0x${index.toString(16).padStart(40, '0')}`,
      role: isHonest
        ? degree > 12
          ? 'hub'
          : draw.happens(0.3)
            ? 'shop'
            : 'customer'
        : 'stale-closer',
      feesEarned,
      feesPaid: (feesEarned * 11n) / 10n,
      lockedBlocks: degree * 1e18,
      gasSpentWei: BigInt(draw.integer(0, 9_000_000)) * 10n ** 9n,
      wealthBefore,
      wealthAfter: wealthBefore + draw.bigint(-5n * TOKEN, 5n * TOKEN),
      loss: isBroken && index === 4 ? 12n * TOKEN + 345n : 0n,
      sent: draw.integer(0, 300),
      received: draw.integer(0, 300),
      mediated: degree * 40,
      failed: draw.integer(0, 12),
      messagesSent: degree * 400,
      messagesReceived: degree * 410,
      kills: draw.happens(0.05) ? draw.integer(1, 4) : 0,
    };
  });
}

function drawFaults(): FaultPeriod[] {
  return [
    { name: 'loss of messages', target: 'everybody', fromBlock: 200, toBlock: 330, hits: 8_214 },
    { name: 'hubs killed', target: 'the hubs', fromBlock: 300, toBlock: 312, hits: 9 },
    { name: 'partition', target: 'nodes 0–9', fromBlock: 520, toBlock: 610, hits: 1_204 },
    { name: 'loss of messages', target: 'everybody', fromBlock: 800, toBlock: 845, hits: 2_417 },
    { name: 'reorganisation', target: 'the chain', fromBlock: 1_000, toBlock: 1_000, hits: 1 },
  ];
}

type Storm = { count: number; faults: readonly FaultPeriod[]; skill: number };

function drawSeries(draw: Draw, { count, faults, skill }: Storm): SeriesPoint[] {
  let imbalance = 0.08;
  return Array.from({ length: BLOCKS / BUCKET }, (_, at) => {
    const block = at * BUCKET;
    const storms = faults.filter(
      ({ fromBlock, toBlock }) => fromBlock <= block && block <= toBlock,
    );
    const started = count === 0 ? 0 : draw.integer(14, 26);
    const arrives = skill * (storms.length > 0 ? 0.72 + draw.fraction() * 0.2 : 0.99);
    const succeeded = Math.round(started * Math.min(1, arrives + draw.fraction() * 0.02));
    imbalance = Math.min(0.7, imbalance + draw.fraction() * 0.004 - 0.0008);
    return {
      block,
      started,
      succeeded,
      failed: started - succeeded,
      latencyBlocksP50: 1 + storms.length,
      messages: started * 21,
      payloads: started * 14,
      transactions: draw.integer(0, 4),
      gasUsed: draw.integer(0, 400_000),
      pendingLocks: draw.integer(4, 18) + storms.length * draw.integer(10, 40),
      imbalance,
      capacity: BigInt(count * 300 + at * 4 - storms.length * 200) * TOKEN,
    };
  });
}

type Shape = { first: number; last: number; peak: number; size: number };

function drawHistogram(draw: Draw, { first, last, peak, size }: Shape): Histogram {
  const weights = Array.from({ length: last - first + 1 }, (_, at) => {
    const value = first + at;
    const away = Math.abs(value - peak) / Math.max(1, last - first);
    return { value, weight: (0.6 + draw.fraction() * 0.4) / (1 + away * away * 300) };
  });
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);
  return weights.map(({ value, weight }) => ({ value, count: Math.round((weight / all) * size) }));
}

function reasons(failed: number): Record<string, number> {
  const noRoute = Math.floor(failed * 0.6);
  const expired = Math.floor(failed * 0.3);
  return {
    no_route: noRoute,
    lock_expired: expired,
    partner_unreachable: failed - noRoute - expired,
  };
}
