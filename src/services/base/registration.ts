/**
 * The registration of a service in the ServiceRegistry: without it no contract pays the service or lets it act. It
 * costs a deposit that is paid back when the registration expires. Source: protocol section 5.5.
 */
import { encodeFunctionData } from 'viem';
import type { Address } from '../../basics/hex.ts';
import { serviceRegistryAbi, tokenAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';
import { describe } from '../../chain/describe.ts';
import type { ServiceJob } from './transactions.ts';

export type RegistrationChoices = {
  /** Whether to register the service when it is not registered. */
  register: boolean;
  /** Whether to do that, and to renew the registration as long as the service runs. */
  registerUntilStopped: boolean;
  /** The highest accepted deposit, in the service token's smallest unit; null: none is accepted. */
  acceptedPrice: bigint | null;
};
export type RegistrationRequest = {
  client: ChainClient;
  registry: Address;
  service: Address;
  choices: RegistrationChoices;
};
/** What a registered service has to know of its registration. */
export type RegistrationPlan = {
  registry: Address;
  /** In which the deposit is paid. */
  token: Address;
  /** The job that registers the service, begun at the start unless one is under way; null: it is registered. */
  job: ServiceJob | null;
  /** The highest accepted price of a renewal; null: it is not renewed. */
  renewUpTo: bigint | null;
};
/** `message` says what to do. */
export type Registration = { ok: true; value: RegistrationPlan } | { ok: false; message: string };

/** The same key after a restart, so that a registration under way is not paid for a second time. */
const KEY = 'register';

/** Whether the job with this key registers the service, or renews that. One of them runs at a time. */
export const isRegistrationKey = (key: string): boolean => key.startsWith(KEY);

/** What has to be done to register the service, judged by the newest block. */
export async function planRegistration(request: RegistrationRequest): Promise<Registration> {
  try {
    return await plan(request);
  } catch (error) {
    return { ok: false, message: `the service registry does not answer: ${describe(error)}` };
  }
}

async function plan(request: RegistrationRequest): Promise<Registration> {
  const { client, registry, service, choices } = request;
  const { registerUntilStopped, acceptedPrice } = choices;
  const at = { address: registry, abi: serviceRegistryAbi } as const;
  const [isRegistered, price, token] = await Promise.all([
    client.readContract({ ...at, functionName: 'hasValidRegistration', args: [service] }),
    client.readContract({ ...at, functionName: 'currentPrice' }),
    client.readContract({ ...at, functionName: 'token' }),
  ]);
  const planned = (job: ServiceJob | null): Registration => ({
    ok: true,
    value: { registry, token, job, renewUpTo: registerUntilStopped ? acceptedPrice : null },
  });
  const now = `it costs a deposit of ${price} units of the token ${token} now`;
  if (registerUntilStopped && acceptedPrice === null)
    return refusal(`--register-until-stopped needs --accept-price: ${now}`);
  if (isRegistered) return planned(null);
  if (!choices.register && !registerUntilStopped)
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
  return planned(registrationJob({ registry, token, limit: acceptedPrice }));
}

type Deposit = Pick<RegistrationPlan, 'registry' | 'token'> & { limit: bigint };

/** The job that renews a registration which ends at this moment: no other one gets its key, however often it is asked for. */
export const renewalJob = (deposit: Deposit, till: bigint): ServiceJob =>
  registrationJob(deposit, `${KEY}:${till}`);

/** The registry takes its price at the moment of the transaction, and nothing when the price is above the limit. */
function registrationJob({ registry, token, limit }: Deposit, key = KEY): ServiceJob {
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
    key,
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
