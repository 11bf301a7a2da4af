/** Checks the endpoint of the chain, the contracts on it, and the money for gas and for services. */

import { wholeUnits } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import { isDevelopment, makesOnDemand } from '../../chain/development.ts';
import type { ChainReads } from '../../chain/reads.ts';
import type { KnownContracts } from '../../host/contracts-file.ts';
import { minRevealTimeoutOf, timeoutRefusal } from '../../host/node-timeouts.ts';
import { gasReserve, NEW_CHANNEL } from '../../node/chain/gas/gas-reserve.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

export type Chain = { client: ChainClient; chainId: bigint };
type Settings = {
  networkId: bigint | null;
  confirmations: bigint;
  defaultSettleTimeout: bigint;
  defaultRevealTimeout: bigint;
};

/** A newest block older than this, in seconds, means that the endpoint does not follow the chain. */
const OLD_HEAD_S = 600;
const WRONG_CLOCK_S = 60;
/** The user deposit below which this check warns; `GET /notifications` uses the same amount. */
const LOW_SERVICE_DEPOSIT = 55n * 10n ** 17n;

/** Checks the chain id, the newest block and this machine's clock. `now`: milliseconds since 1970. */
export async function checkHead(
  { client, chainId }: Chain,
  { networkId }: Settings,
  now: number,
): Promise<Finding[]> {
  if (networkId !== null && networkId !== chainId) {
    const found = `the endpoint serves chain ${chainId}, not ${networkId}`;
    return [failed('chain', found, 'check --eth-rpc-endpoint and --network-id')];
  }
  const [head, isBehind] = await Promise.all([client.getBlock(), isSyncing(client)]);
  const age = Math.floor(now / 1_000) - Number(head.timestamp);
  const found = `chain ${chainId} at block ${head.number}, ${Math.max(age, 0)} s old`;
  return [
    isBehind
      ? warning('chain', `${found}, the endpoint is still syncing`, 'wait until it has caught up')
      : headFinding(found, age, chainId),
    clockFinding(age, chainId),
  ];
}

/** Whether the endpoint is syncing; false also when it does not tell. */
async function isSyncing(client: ChainClient): Promise<boolean> {
  const ask: (request: { method: string }) => Promise<unknown> = client.transport.request;
  try {
    return (await ask({ method: 'eth_syncing' })) !== false;
  } catch {
    return false;
  }
}

function headFinding(found: string, age: number, chainId: bigint): Finding {
  if (age <= OLD_HEAD_S) return ok('chain', found);
  const advice = 'check the endpoint, and the clock of this machine';
  return isDevelopment(chainId)
    ? warning('chain', found, makesOnDemand(Number(chainId)))
    : failed('chain', found, advice);
}

function clockFinding(age: number, chainId: bigint): Finding {
  if (age >= -WRONG_CLOCK_S) return ok('clock', 'not behind the chain');
  const found = `${-age} s behind the newest block`;
  const advice = 'set the clock of this machine, e.g. by NTP';
  // On development chains blocks may be mined by hand, and their time then runs ahead.
  return isDevelopment(chainId) ? warning('clock', found, advice) : failed('clock', found, advice);
}

/** Checks timeouts and confirmations: settings with which a node would not start, and unwise ones. */
export function checkSettings(chainId: bigint, settings: Settings): Finding[] {
  const minRevealTimeout = minRevealTimeoutOf(chainId, settings.confirmations);
  const refused = timeoutRefusal({ ...settings, minRevealTimeout });
  if (refused !== null) return [failed('timeouts', refused.message, 'correct these options')];
  return [
    ok(
      'timeouts',
      `settle ${settings.defaultSettleTimeout}, reveal ${settings.defaultRevealTimeout}`,
    ),
    confirmationsFinding(chainId, settings),
  ];
}

function confirmationsFinding(chainId: bigint, settings: Settings): Finding {
  const { confirmations, defaultRevealTimeout } = settings;
  const found = `${confirmations} blocks on top of one before it counts`;
  if (2n * confirmations >= defaultRevealTimeout) {
    const advice = `--confirmations must leave time for a deadline of ${defaultRevealTimeout} blocks: lower it, or raise --default-reveal-timeout`;
    return warning('confirmations', found, advice);
  }
  if (confirmations < 2n && !isDevelopment(chainId)) {
    const advice = 'raise --confirmations: a reorganisation deeper than that stops the node';
    return warning('confirmations', found, advice);
  }
  return ok('confirmations', found);
}

/** Checks the service contracts; the token network registry has been checked before. */
export async function checkServices(
  reads: ChainReads,
  contracts: KnownContracts,
): Promise<Finding[]> {
  const named = Object.entries({
    user_deposit_address: contracts.userDepositAddress,
    service_registry_address: contracts.serviceRegistryAddress,
    monitoring_service_address: contracts.monitoringServiceAddress,
    one_to_n_address: contracts.oneToNAddress,
  });
  const missing: string[] = [];
  for (const [name, address] of named) {
    if (address === null) continue;
    const facts = await reads.tokenFacts(address);
    if (facts.ok && !facts.value.hasCode) missing.push(name);
  }
  if (missing.length > 0)
    return [
      failed('services', `there is no contract at ${missing.join(', ')}`, 'correct --contracts'),
    ];
  const count = named.filter(([, address]) => address !== null).length;
  return [ok('services', `${count} of 4 service contracts are given and there`)];
}

/**
 * Checks the money for gas. `channels`: how many may have to be closed and settled; `pending`: payments that may have
 * to be claimed on chain.
 */
export async function checkGas(
  reads: ChainReads,
  address: Address,
  { channels, pending }: { channels: number; pending: number },
): Promise<Finding[]> {
  const [money, price] = await Promise.all([reads.nativeBalance(address), reads.gasPrice()]);
  if (!money.ok || !price.ok)
    return [failed('gas', 'the endpoint does not tell balance and gas price', 'ask again')];
  // Assumes that all channels are open and each payment is locked and claimed on both sides: the most they can cost.
  const claims = { registrations: pending, isClaimable: pending > 0 };
  const busy = { ...NEW_CHANNEL, ownLocks: pending, partnerLocks: pending, ...claims };
  const burdens = Array.from({ length: Math.max(1, channels) }, (_, n) =>
    n === 0 ? busy : NEW_CHANNEL,
  );
  const wanted = gasReserve(burdens, price.value);
  const there = `${wholeUnits(money.value, 'down')} ETH are there`;
  const enough = `${wholeUnits(wanted, 'up')} are enough to end ${burdens.length} channels and ${pending} payments`;
  const found = `${there}, ${enough} at three times today’s gas price`;
  if (money.value === 0n) return [failed('gas', found, `send money for gas to ${address}`)];
  return [
    money.value < wanted
      ? warning('gas', found, `send money for gas to ${address}`)
      : ok('gas', found),
  ];
}

export async function checkServiceDeposit(
  reads: ChainReads,
  contract: Address | null,
  address: Address,
): Promise<Finding[]> {
  if (contract === null) return [ok('service deposit', 'no user-deposit contract is given')];
  const facts = await reads.userDeposit(contract, address);
  if (!facts.ok) {
    const advice = 'correct user_deposit_address in --contracts, or ask again';
    return [failed('service deposit', facts.detail ?? 'no answer', advice)];
  }
  // What a planned withdrawal will take is there no more, as for the notification.
  const { effectiveBalance } = facts.value;
  const found = `${effectiveBalance} units are there to pay services from`;
  return [
    effectiveBalance < LOW_SERVICE_DEPOSIT
      ? warning('service deposit', found, 'if you use services, deposit with POST /user_deposit')
      : ok('service deposit', found),
  ];
}
