/** The JSON file of contract addresses: the object of `GET /contracts`, and the block of their deployment. */

import * as v from 'valibot';
import { parseDecimal } from '../basics/amount.ts';
import { type Address, parseAddress } from '../basics/hex.ts';
import { CONTRACTS_VERSION, type Deployment } from '../contracts/deploy.ts';
import { contractsObject } from '../http/shapes/serializers.ts';
import type { ContractAddresses } from '../node/runtime/parts.ts';
import { readBy } from '../protocol/shapes.ts';

/** A missing secret registry is read from the token network registry. */
export type KnownContracts = Omit<ContractAddresses, 'secretRegistryAddress'> & {
  secretRegistryAddress: Address | null;
  /** The first block that can hold a log of the contracts; 0 when the file does not say. */
  deployBlock: bigint;
};

/** What `parse` understands; null from it refuses the value. */
const parsed = <T>(parse: (value: unknown) => T | null, message: string) =>
  v.pipe(v.unknown(), readBy(parse, message));
const address = parsed(parseAddress, 'must be an address (0x and 40 hex digits)');
const other = v.nullish(address, null);
const isDigits = (value: unknown) => typeof value === 'string' || typeof value === 'number';
const block = parsed(
  (value) => (isDigits(value) ? parseDecimal(String(value), 20) : null),
  'must be a block number',
);
const contractsFile = v.strictObject({
  contracts_version: v.optional(v.string(), CONTRACTS_VERSION),
  token_network_registry_address: address,
  secret_registry_address: other,
  service_registry_address: other,
  user_deposit_address: other,
  monitoring_service_address: other,
  one_to_n_address: other,
  service_token_address: other,
  deploy_block: v.optional(block, '0'),
});

/** What the original project writes of its deployments: only the names that a node knows are read. */
const deploymentFile = v.object({
  contracts_version: v.nullish(v.string()),
  contracts: v.record(
    v.string(),
    v.looseObject({ address: v.optional(v.unknown()), block_number: v.optional(v.unknown()) }),
  ),
});
const DEPLOYED_NAMES = {
  TokenNetworkRegistry: 'token_network_registry_address',
  SecretRegistry: 'secret_registry_address',
  ServiceRegistry: 'service_registry_address',
  UserDeposit: 'user_deposit_address',
  MonitoringService: 'monitoring_service_address',
  OneToN: 'one_to_n_address',
} as const;

/** The same under the names of `contractsFile`; anything else stays as it is. `keys`: what each key was before. */
function renamed(file: unknown): { file: unknown; keys: ReadonlyMap<string, string> } {
  const parsed = v.safeParse(deploymentFile, file);
  const keys = new Map<string, string>();
  if (!parsed.success) return { file, keys };
  const { contracts_version, contracts } = parsed.output;
  const found: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(DEPLOYED_NAMES)) {
    keys.set(key, `contracts.${name}.address`);
    if (contracts[name] !== undefined) found[key] = contracts[name].address;
  }
  keys.set('deploy_block', 'contracts.TokenNetworkRegistry.block_number');
  const deployBlock = contracts['TokenNetworkRegistry']?.block_number;
  if (deployBlock !== undefined) found['deploy_block'] = deployBlock;
  if (typeof contracts_version === 'string') found['contracts_version'] = contracts_version;
  return { file: found, keys };
}

/**
 * Reads the file's text: the project's own form, or a `deployment_*.json` of the original contracts. The message of a
 * failure names the wrong key.
 */
export function parseContracts(
  text: string,
): { ok: true; value: KnownContracts } | { ok: false; message: string } {
  const { file: given, keys } = renamed(fromJson(text));
  const parsed = v.safeParse(contractsFile, given);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const path = v.getDotPath(issue);
    const key = path === null ? null : (keys.get(path) ?? path);
    const what = key === null ? 'it is not a JSON object' : `${key}: ${issue.message}`;
    return { ok: false, message: what };
  }
  const file = parsed.output;
  return {
    ok: true,
    value: {
      contractsVersion: file.contracts_version,
      tokenNetworkRegistryAddress: file.token_network_registry_address,
      secretRegistryAddress: file.secret_registry_address,
      serviceRegistryAddress: file.service_registry_address,
      userDepositAddress: file.user_deposit_address,
      monitoringServiceAddress: file.monitoring_service_address,
      oneToNAddress: file.one_to_n_address,
      deployBlock: file.deploy_block,
    },
  };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

/** The text of a file that `parseContracts` reads. */
export function contractsFileText(deployment: Deployment): string {
  const file = {
    ...contractsObject(deployment),
    service_token_address: deployment.serviceTokenAddress,
    deploy_block: String(deployment.deployBlock),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
