/**
 * The registration of a service in the ServiceRegistry: without it no contract pays the service or lets it act. It
 * costs a deposit that is paid back when the registration expires. Source: protocol section 5.5.
 */
import { encodeFunctionData, parseAbi } from 'viem';
import type { Address } from '../../basics/hex.ts';
import { tokenAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';
import { describe } from '../../chain/describe.ts';
import type { ServiceJob } from './transactions.ts';

export const serviceRegistryAbi = parseAbi([
  'function deposit(uint256 limit) returns (bool)',
  'function currentPrice() view returns (uint256)',
  'function hasValidRegistration(address service) view returns (bool)',
  'function token() view returns (address)',
]);

export type RegistrationRequest = {
  client: ChainClient;
  registry: Address;
  service: Address;
  /** Whether to register the service when it is not registered. */
  wanted: boolean;
  /** The highest accepted deposit, in the service token's smallest unit; null: none is accepted. */
  acceptedPrice: bigint | null;
};
/** `job`: the job that registers the service; null: it is registered. `message` says what to do. */
export type Registration = { ok: true; job: ServiceJob | null } | { ok: false; message: string };

/** The same key after a restart, so that a registration under way is not paid for a second time. */
const KEY = 'register';

/** What has to be done to register the service, judged by the newest block. */
export async function planRegistration(request: RegistrationRequest): Promise<Registration> {
  try {
    return await plan(request);
  } catch (error) {
    return { ok: false, message: `the service registry does not answer: ${describe(error)}` };
  }
}

async function plan(request: RegistrationRequest): Promise<Registration> {
  const { client, registry, service, wanted, acceptedPrice } = request;
  const at = { address: registry, abi: serviceRegistryAbi } as const;
  const [isRegistered, price, token] = await Promise.all([
    client.readContract({ ...at, functionName: 'hasValidRegistration', args: [service] }),
    client.readContract({ ...at, functionName: 'currentPrice' }),
    client.readContract({ ...at, functionName: 'token' }),
  ]);
  if (isRegistered) return { ok: true, job: null };
  const now = `it costs a deposit of ${price} units of the token ${token} now`;
  if (!wanted)
    return refusal(`${service} is not registered as a service: start with --register; ${now}`);
  if (acceptedPrice === null || acceptedPrice < price)
    return refusal(`registering ${service} needs --accept-price of at least ${price}: ${now}`);
  const held = await client.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [service],
  });
  if (held < price) return refusal(`${service} holds ${held} of the token: ${now}`);
  return { ok: true, job: registrationJob(registry, token, acceptedPrice) };
}

/** The registry takes its price at the moment of the transaction, and nothing when the price is above the limit. */
function registrationJob(registry: Address, token: Address, limit: bigint): ServiceJob {
  const approve = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'approve',
    args: [registry, limit],
  });
  const deposit = encodeFunctionData({
    abi: serviceRegistryAbi,
    functionName: 'deposit',
    args: [limit],
  });
  return {
    key: KEY,
    calls: [
      { kind: 'approve', to: token, data: approve },
      { kind: 'registerService', to: registry, data: deposit },
    ],
    token,
    deadlineBlock: null,
    isPatient: true,
  };
}

function refusal(message: string): Registration {
  return { ok: false, message };
}
