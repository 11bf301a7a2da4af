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

  it.each(['', '[]', '{', 'null'])('is refused as %j', (text) => {
    expect(parseContracts(text).ok).toBe(false);
  });
});
