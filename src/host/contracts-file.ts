/** The JSON file of contract addresses: the object of `GET /contracts`, and the block of their deployment. */
import * as v from 'valibot';
import { CONTRACTS_VERSION, type Deployment } from '../contracts/deploy.ts';
import { contractsObject } from '../http/serializers.ts';
import type { ContractAddresses } from '../node/runtime/parts.ts';
import { parseDecimal } from '../protocol/amount.ts';
import { type Address, parseAddress } from '../protocol/hex.ts';

/** A missing secret registry is read from the token network registry. */
export type KnownContracts = Omit<ContractAddresses, 'secretRegistryAddress'> & {
  secretRegistryAddress: Address | null;
  /** The first block that can hold a log of the contracts; 0 when the file does not say. */
  deployBlock: bigint;
};

const address = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, Address>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseAddress(dataset.value);
    if (parsed !== null) return parsed;
    addIssue({ message: 'must be an address (0x and 40 hex digits)' });
    return NEVER;
  }),
);
const other = v.nullish(address, null);
const block = v.pipe(
  v.union([v.string(), v.number()], 'must be a block number'),
  v.rawTransform<string | number, bigint>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseDecimal(String(dataset.value), 20);
    if (parsed !== null) return parsed;
    addIssue({ message: 'must be a block number' });
    return NEVER;
  }),
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

/** Reads the file's text. The message of a failure names the wrong key. */
export function parseContracts(
  text: string,
): { ok: true; value: KnownContracts } | { ok: false; message: string } {
  const parsed = v.safeParse(contractsFile, fromJson(text));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const key = v.getDotPath(issue);
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
    return JSON.parse(text);
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
