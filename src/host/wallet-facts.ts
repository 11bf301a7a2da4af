/**
 * What the wallet's page is told of a node beside the API. The chain's endpoint is asked now and then, however many pages
 * ask; while it does not answer they are told what was known last.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { settleBlock } from '../../machines/channel/dispute.ts';
import { channelTags } from '../../machines/tags.ts';
import type { Address } from '../basics/hex.ts';
import { sharedWork } from '../basics/shared-work.ts';
import { tokenAbi } from '../chain/abi.ts';
import { secondsOfBlock } from '../chain/block-time.ts';
import type { ChainClient } from '../chain/client.ts';
import { GAS_ESTIMATES } from '../chain/queue/calls.ts';
import { createTokenLabels } from '../chain/token-labels.ts';
import type {
  WalletCapacity,
  WalletDeposit,
  WalletFacts,
  WalletGas,
  WalletSource,
  WalletToken,
} from '../http/wallet.ts';
import { moneyOf } from '../inspector/base/money.ts';
import type { Inspection } from '../node/api/inspection.ts';
import { statesOf } from '../node/runtime/actors/walk.ts';
import type { CheckedChain } from './check-chain.ts';
import type { NodeConfig } from './node-config.ts';

const FRESH_MS = 3_000;
/** How long a page waits for the chain. */
const PATIENCE_MS = 2_000;
/** Tokens of which it is asked what the account holds. */
const MOST_TOKENS = 50;

const GAS: WalletGas = {
  approve: `${GAS_ESTIMATES.approve}`,
  openChannel: `${GAS_ESTIMATES.openChannel}`,
  deposit: `${GAS_ESTIMATES.deposit}`,
  withdraw: `${GAS_ESTIMATES.withdraw}`,
  close: `${GAS_ESTIMATES.close}`,
  settle: `${GAS_ESTIMATES.settle}`,
  userDeposit: `${GAS_ESTIMATES.userDeposit}`,
  userDepositPlan: `${GAS_ESTIMATES.userDepositPlan}`,
  userDepositWithdraw: `${GAS_ESTIMATES.userDepositWithdraw}`,
};

/** What the chain was asked. */
type Told = Pick<WalletFacts, 'wei' | 'gasPrice' | 'blockSeconds' | 'tokens' | 'userDeposit'>;
type Watched = Pick<Inspection, 'facts' | 'tokens' | 'nowBlock'>;
type Parts = {
  config: Pick<
    NodeConfig,
    'confirmations' | 'defaultSettleTimeout' | 'defaultRevealTimeout' | 'names' | 'explorer'
  >;
  inspection: Pick<Inspection, 'facts' | 'nowBlock' | 'troubles' | 'actors'>;
  /** Asks the chain. */
  ask(): Promise<Told>;
};

const NOTHING: Told = {
  ...{ wei: null, gasPrice: null, blockSeconds: null },
  ...{ tokens: [], userDeposit: null },
};

export function createWalletFacts({ config, inspection, ask }: Parts): WalletSource {
  const { facts } = inspection;
  const capacities = sharedWork(() => capacitiesOf(inspection.actors));
  let told = NOTHING;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function askAnew(): Promise<void> {
    try {
      told = await ask();
    } finally {
      askedAt = performance.now();
      asking = null;
    }
  }

  return async () => {
    if (performance.now() - askedAt > FRESH_MS) asking ??= askAnew();
    if (asking !== null) await Promise.race([asking, delay(PATIENCE_MS, null, { ref: false })]);
    return {
      address: facts.address,
      chainId: `${facts.chainId}`,
      block: `${inspection.nowBlock()}`,
      confirmations: `${config.confirmations}`,
      settleTimeout: `${config.defaultSettleTimeout}`,
      revealTimeout: `${config.defaultRevealTimeout}`,
      gas: GAS,
      names: config.names ?? [],
      ...(config.explorer == null ? {} : { explorer: config.explorer }),
      ...told,
      capacities: await capacities(),
      troubles: inspection.troubles(),
    };
  };
}

/** What either side could pay now; the API tells of the own one alone. In slices: payments must not wait for the page. */
async function capacitiesOf(actors: Inspection['actors']): Promise<WalletCapacity[]> {
  const ids = actors.ids().filter((id) => id.startsWith('channel:'));
  const found: WalletCapacity[] = [];
  for await (const slice of statesOf(actors, ids))
    for (const { state } of slice) {
      if (state.kind !== 'channel') continue;
      const tags = channelTags(state.value);
      if (!tags.has('isUnsettled')) continue;
      const { own, partner } = moneyOf(state.context, tags.has('takesLocks'));
      const { token, dispute } = state.context;
      found.push({
        ...{ token, partner: partner.address },
        ...{ canPay: `${own.capacity}`, canReceive: `${partner.capacity}` },
        settleBlock: dispute === null ? null : `${settleBlock(state.context)}`,
      });
    }
  return found;
}

/** Returns a function that asks the chain; it never rejects for what the endpoint does. */
export function asksChain(chain: CheckedChain, inspection: Watched): () => Promise<Told> {
  const { client } = chain.connection;
  const labelsOf = createTokenLabels(client);
  const own = inspection.facts.address;
  return async () => {
    const [wei, gasPrice, blockSeconds, userDeposit] = await Promise.all([
      chain.reads.nativeBalance(own),
      chain.reads.gasPrice(),
      secondsOfBlock(client).catch(() => null),
      depositOf(chain, own),
    ]);
    const registered = inspection.tokens();
    const services = userDeposit === null ? [] : [userDeposit.token];
    const labels = await labelsOf([...new Set([...registered, ...services])]);
    const tokens = await Promise.all(
      labels.map(async (label, index): Promise<WalletToken> => {
        const isRegistered = registered.includes(label.address);
        const onChain = index < MOST_TOKENS ? await held(client, label.address, own) : null;
        return { ...label, isRegistered, onChain };
      }),
    );
    return {
      wei: wei.ok ? `${wei.value}` : null,
      gasPrice: gasPrice.ok ? `${gasPrice.value}` : null,
      blockSeconds,
      tokens,
      userDeposit,
    };
  };
}

async function held(client: ChainClient, token: Address, owner: Address): Promise<string | null> {
  const call = { address: token, abi: tokenAbi, functionName: 'balanceOf', args: [owner] } as const;
  const units = await client.readContract(call).catch(() => null);
  return units === null ? null : `${units}`;
}

async function depositOf(chain: CheckedChain, own: Address): Promise<WalletDeposit | null> {
  const contract = chain.contracts.userDepositAddress;
  if (contract === null) return null;
  const found = await chain.reads.userDeposit(contract, own);
  if (!found.ok) return null;
  const { token, balance, totalDeposit, planned, withdrawBlock, withdrawDelay, ownTokens } =
    found.value;
  return {
    token,
    balance: `${balance}`,
    totalDeposit: `${totalDeposit}`,
    planned: `${planned}`,
    withdrawBlock: `${withdrawBlock}`,
    withdrawDelay: `${withdrawDelay}`,
    ownTokens: `${ownTokens}`,
  };
}
