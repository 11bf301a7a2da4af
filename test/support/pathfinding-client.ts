/** A node's client of a path-finding service that says what a test wants, and what the client and its test share. */
import { createIous } from '../../src/node/routing/ious.ts';
import { createPathfindingClient } from '../../src/node/routing/pathfinding-client.ts';
import { createPayeeCheck } from '../../src/node/routing/payee-check.ts';
import type { RouteRequest } from '../../src/node/runtime/knowledge/route-finder.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { NETWORK, PARTNER, STRANGER, TOKEN } from './makers.ts';
import { type Asked, REGISTRY, type Script, startScripted } from './scripted-service.ts';
import { openedStore } from './store.ts';

export const signer = createSigner(new Uint8Array(32).fill(1));
export const OWN = signer.address;
export const ONE_TO_N = STRANGER;
export const ROUTE = [OWN, STRANGER, PARTNER];
/** Above what a double holds. */
export const AMOUNT = 10n ** 21n + 1n;
export const NOW = 1_000n;

export const request: RouteRequest = {
  token: TOKEN,
  tokenNetwork: NETWORK,
  target: PARTNER,
  amount: AMOUNT,
  maxRoutes: 3,
};

/** A service registry as the chain shows it; null: the chain does not answer. */
export function registryOf(answer: boolean | null) {
  const registry = {
    answer,
    now: 0,
    asked: 0,
    async isRegistered() {
      registry.asked += 1;
      if (registry.answer === null) throw new Error('no answer');
      return registry.answer;
    },
  };
  return registry;
}

/** A node's client of a service with this script. */
export async function clientOf(
  script: Script,
  { store = openedStore(), canPay = true, registry = registryOf(true) } = {},
) {
  const service = await startScripted(script);
  const facts = { own: OWN, chainId: 1n, now: () => 0, elapsed: () => registry.now };
  const { sign } = signer;
  const rows = store.iouSessions;
  const ious = canPay ? createIous({ ...facts, oneToN: ONE_TO_N, sign, recover, rows }) : null;
  const payees = createPayeeCheck({ ...registry, elapsed: facts.elapsed });
  const options = { ...facts, service: `${service.url}/`, registry: REGISTRY, ious, payees };
  const client = createPathfindingClient({ ...options, nowBlock: () => NOW });
  return { ...service, client, store };
}

export const promised = (asked: Asked[]) =>
  asked.map(({ body }) => {
    const { iou } = Object(body);
    return [iou?.amount, iou?.expiration_block];
  });
export const detailOf = (answer: { ok: boolean; detail?: string }) =>
  answer.ok ? null : answer.detail;
