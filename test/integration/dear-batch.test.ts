/** A chain on which a registration takes more gas than on Ethereum: a hundred of them do not fit into one transaction. */
import { afterEach, expect, it } from 'vitest';
import { type ClaimsChain, newSecrets, registration, startClaims } from '../support/claims.ts';

let claims: ClaimsChain;
afterEach(() => claims?.stop());

/** As zkSync's, or a rollup's that counts the bytes it brings to Ethereum. */
const GAS_OF_SECRET = 200_000n;
const BYTES_OF_SECRET = 64;

it('has them registered all the same', async () => {
  claims = await startClaims({ channels: 0, othersGas: 0n });
  const deadline = (await claims.head()) + 45n;
  const secrets = newSecrets(100);
  claims.proxy.setRule(async ({ method, params }, forward) => {
    if (method !== 'eth_estimateGas') return forward();
    const { data = '', input = data } = Object(params[0]);
    const gas = GAS_OF_SECRET * BigInt(Math.ceil(String(input).length / BYTES_OF_SECRET));
    return { result: `0x${gas.toString(16)}` };
  });
  const owner = claims.begin(secrets.map((secret) => registration(secret, deadline)));
  for (;;) {
    await claims.said(() => owner.ends.size === secrets.length);
    if (owner.ends.size === secrets.length || (await claims.mineBlock(owner)) > deadline) break;
  }
  const registered = await claims.registered();
  expect(secrets.filter((secret) => !registered.has(secret))).toHaveLength(0);
}, 120_000);
