/** Names the function that a transaction calls, by its first four bytes. */
import { type Abi, toFunctionSelector } from 'viem';
import type { Hex } from '../../../basics/hex.ts';
import { customTokenAbi } from '../../../contracts/generated/CustomToken.ts';
import { monitoringServiceAbi } from '../../../contracts/generated/MonitoringService.ts';
import { oneToNAbi } from '../../../contracts/generated/OneToN.ts';
import { secretRegistryAbi } from '../../../contracts/generated/SecretRegistry.ts';
import { serviceRegistryAbi } from '../../../contracts/generated/ServiceRegistry.ts';
import { tokenNetworkAbi } from '../../../contracts/generated/TokenNetwork.ts';
import { tokenNetworkRegistryAbi } from '../../../contracts/generated/TokenNetworkRegistry.ts';
import { userDepositAbi } from '../../../contracts/generated/UserDeposit.ts';

const ABIS: readonly Abi[] = [
  tokenNetworkAbi,
  secretRegistryAbi,
  customTokenAbi,
  tokenNetworkRegistryAbi,
  userDepositAbi,
  monitoringServiceAbi,
  oneToNAbi,
  serviceRegistryAbi,
];
const SELECTOR_DIGITS = 10;

const names = new Map<string, string>(
  ABIS.flat().flatMap((item) =>
    item.type === 'function' ? [[toFunctionSelector(item), item.name] as const] : [],
  ),
);

/** The function's name; "other" when none of our contracts has it. */
export function callName(data: Hex): string {
  return names.get(data.slice(0, SELECTOR_DIGITS).toLowerCase()) ?? 'other';
}
