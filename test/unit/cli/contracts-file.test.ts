import { describe, expect, it } from 'vitest';
import { contractsFileText, parseContracts } from '../../../src/host/contracts-file.ts';

const REGISTRY = '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9';
const OTHER = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

function parse(file: object) {
  return parseContracts(JSON.stringify(file));
}

describe('the file of contracts', () => {
  it('needs the token network registry only', () => {
    expect(parse({ token_network_registry_address: REGISTRY })).toEqual({
      ok: true,
      value: {
        contractsVersion: '0.40.0',
        tokenNetworkRegistryAddress: REGISTRY,
        secretRegistryAddress: null,
        serviceRegistryAddress: null,
        userDepositAddress: null,
        monitoringServiceAddress: null,
        oneToNAddress: null,
        deployBlock: 0n,
      },
    });
  });

  it('reads what a deployment writes', () => {
    const deployment = {
      contractsVersion: '0.40.0',
      tokenNetworkRegistryAddress: REGISTRY,
      secretRegistryAddress: OTHER,
      serviceRegistryAddress: OTHER,
      userDepositAddress: OTHER,
      monitoringServiceAddress: OTHER,
      oneToNAddress: OTHER,
    } as const;
    const text = contractsFileText({ ...deployment, serviceTokenAddress: OTHER, deployBlock: 7n });
    expect(parseContracts(text)).toEqual({ ok: true, value: { ...deployment, deployBlock: 7n } });
  });

  it.each([
    [{}, 'token_network_registry_address'],
    [
      { token_network_registry_address: '0x12' },
      'token_network_registry_address: must be an address',
    ],
    [{ token_network_registry_address: REGISTRY, secret_registry: OTHER }, 'secret_registry'],
    [
      { token_network_registry_address: REGISTRY, deploy_block: -1 },
      'deploy_block: must be a block',
    ],
    [
      { token_network_registry_address: REGISTRY, deploy_block: 1.5 },
      'deploy_block: must be a block',
    ],
  ])('is refused as %o with the name of what is wrong', (file, message) => {
    expect(parse(file)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  const deployed = (contracts: object, contracts_version: string | null = null) =>
    parse({ contracts, contracts_version, chain_id: 5 });
  const at = (address: string, block_number = 3) => ({
    address,
    block_number,
    gas_cost: 1,
    transaction_hash: '0x00',
  });

  it('may be a deployment file of the original contracts', () => {
    const file = deployed({
      TokenNetworkRegistry: at(REGISTRY, 77),
      SecretRegistry: at(OTHER),
      OneToN: at(OTHER),
      Something: { else: true },
    });
    expect(file).toMatchObject({
      ok: true,
      value: {
        tokenNetworkRegistryAddress: REGISTRY,
        secretRegistryAddress: OTHER,
        oneToNAddress: OTHER,
        userDepositAddress: null,
        contractsVersion: '0.40.0',
        deployBlock: 77n,
      },
    });
    expect(deployed({ TokenNetworkRegistry: at(REGISTRY) }, '0.37.0')).toMatchObject({
      value: { contractsVersion: '0.37.0' },
    });
  });

  it.each([
    [{ SecretRegistry: at(OTHER) }, 'contracts.TokenNetworkRegistry.address'],
    [{ TokenNetworkRegistry: at('0x12') }, 'contracts.TokenNetworkRegistry.address: must be'],
    [
      { TokenNetworkRegistry: at(REGISTRY, -1) },
      'contracts.TokenNetworkRegistry.block_number: must be',
    ],
    [
      { TokenNetworkRegistry: at(REGISTRY), OneToN: {}, UserDeposit: at('no') },
      'contracts.UserDeposit.address',
    ],
  ])(
    'of the original contracts is refused as %o with the name of what is wrong',
    (file, message) => {
      expect(deployed(file)).toEqual({ ok: false, message: expect.stringContaining(message) });
    },
  );

  it('may begin with a byte order mark', () => {
    const text = `\uFEFF${JSON.stringify({ token_network_registry_address: REGISTRY })}`;
    expect(parseContracts(text).ok).toBe(true);
  });

  it.each(['', '[]', '{', 'null'])('is refused as %j', (text) => {
    expect(parseContracts(text).ok).toBe(false);
  });
});
