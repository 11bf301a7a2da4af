/**
 * Routes from a path-finding service. Protocol 7.1. It is asked, sometimes paid, and never believed: its answers are
 * limited in size, and every route is judged before it is used.
 */
import * as v from 'valibot';
import { type Address, parseAddress } from '../../basics/hex.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import type { FoundRoute, RouteFinder, RouteRequest } from '../runtime/knowledge/route-finder.ts';
import { type Ious, iouJson, type SignedIou } from './ious.ts';
import type { PayeeCheck } from './payee-check.ts';
import {
  addressField,
  apiOf,
  callService,
  integerField,
  type ServiceAnswer,
} from './service-call.ts';

/** Limited, because an API call waits for the paths, and other API calls wait for that call. */
const PATHS_TIMEOUT_MS = 20_000;
const OTHER_TIMEOUT_MS = 10_000;
/**
 * How long the service's info is reused; if the price rises meanwhile, the service says that it was paid too little.
 */
const INFO_LIFETIME_MS = 60_000;
/** The highest price of a request that this node pays, in the service token's smallest unit: 0.05 tokens. */
export const MAX_PRICE = 5n * 10n ** 16n;
const ATTEMPTS = 2;
/** Answers whose feedback is still to be sent; the service forgets them after ten minutes. */
const MAX_OWED = 1_000;
/** Most nodes of a route, including both ends. */
const MAX_NODES = 25;

/** Error codes of the service, by what the node should do. */
const NEW_SESSION = new Set([2103, 2105]);
const MISSING_IOU = 2101;
const PAID_TOO_LITTLE = 2104;
const USE_OTHER_IOU = 2106;
const NO_ROUTE = 2201;
/** The service is not registered, and so is not paid. */
const NOT_REGISTERED = 2205;
/** One end of the payment is offline; the service itself works. */
const OFFLINE = 2203;
/** What error codes mean for the operator; every other code is shown as its number. */
const MEANINGS: Record<number, string> = {
  2003: 'does not know the token network',
  2004: 'does not serve the token network',
  2101: 'wants to be paid',
  2104: 'wants more than it said',
  2107: 'wants to be paid, and the user deposit of this node is too small: POST /user_deposit adds to it',
  2108: 'is paid through another OneToN contract',
  [NOT_REGISTERED]: 'is not registered any more, so that it cannot be paid',
  [OFFLINE]: 'says that one of both ends is offline',
};

type Options = {
  /** The service's URL as the operator wrote it. */
  service: string;
  own: Address;
  chainId: bigint;
  registry: Address;
  /** Null: services that want money cannot be paid. */
  ious: Ious | null;
  /** Asked before an IOU is given; null: no service registry is known, then every service is paid. */
  payees: PayeeCheck | null;
  nowBlock(): bigint;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
};
type Info = { price: bigint; receiver: Address; chainId: bigint; registry: Address };

export type PathfindingClient = RouteFinder & Required<Pick<RouteFinder, 'asked'>>;

export function createPathfindingClient(options: Options): PathfindingClient {
  const { own, ious, payees, elapsed } = options;
  const api = apiOf(options.service);
  const owed = new Map<string, { tokenNetwork: Address; token: string }>();
  let known: { info: Info; time: number } | null = null;
  let trouble: string | null = null;
  /** Of two IOUs under way, the one that arrives last could be the lower one: the promised total must grow. */
  const inTurn = oneAtATime();

  const call = (path: string, body?: unknown, timeoutMs = OTHER_TIMEOUT_MS) =>
    callService({ url: `${api}${path}`, body, signal: AbortSignal.timeout(timeoutMs) });

  async function readInfo(isFresh = false): Promise<Result<Info>> {
    if (!isFresh && known !== null && elapsed() - known.time < INFO_LIFETIME_MS)
      return { ok: true, value: known.info };
    const answer = await call('/info');
    const parsed = v.safeParse(infoShape, answer?.body);
    if (answer?.status !== 200 || !parsed.success) return refused('does not answer as it should');
    const info = parsed.output;
    if (info.chainId !== options.chainId) return refused(`serves the chain ${info.chainId}`);
    if (info.registry !== options.registry)
      return refused(`serves another token network registry, ${info.registry}`);
    known = { info, time: elapsed() };
    return { ok: true, value: info };
  }

  const askPaths = ({ tokenNetwork, target, amount, maxRoutes }: RouteRequest, iou?: SignedIou) =>
    call(
      `/${tokenNetwork}/paths`,
      {
        from: own,
        to: target,
        value: amount,
        max_paths: maxRoutes,
        ...(iou === undefined ? {} : { iou: iouJson(iou) }),
      },
      PATHS_TIMEOUT_MS,
    );

  function routesIn(request: RouteRequest, answer: ServiceAnswer): Result<FoundRoute[]> {
    if (answer === null) return refused('does not answer');
    const { body, status } = answer;
    if (status !== 200) return refusalOf(errorOf(body));
    const parsed = v.safeParse(pathsShape, body);
    if (!parsed.success) return refused('does not answer as it should');
    const { result, feedback_token: token } = parsed.output;
    const routes = result
      .slice(0, request.maxRoutes)
      .map(routeIn)
      .filter((route) => route !== null);
    for (const { route } of routes) owe(route, { tokenNetwork: request.tokenNetwork, token });
    return { ok: true, value: routes };
  }

  function owe(route: readonly Address[], feedback: { tokenNetwork: Address; token: string }) {
    const [oldest] = owed.keys();
    if (owed.size >= MAX_OWED && oldest !== undefined) owed.delete(oldest);
    owed.set(route.join(), feedback);
  }

  /** Makes two attempts: the service's answer to the first IOU may tell how to correct the second. */
  async function findPaid(request: RouteRequest, payable: Ious, first: Info) {
    let info = first;
    let refusedPart = 0n;
    let answer: ServiceAnswer = null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { receiver, price } = info;
      const payee = { receiver, nowBlock: options.nowBlock() };
      answer = await askPaths(request, payable.next(payee, price, refusedPart));
      const code = answer === null || answer.status === 200 ? null : errorOf(answer.body);
      if (code === null) break;
      if (NEW_SESSION.has(code)) payable.renew(payee);
      else if (code === USE_OTHER_IOU)
        payable.adopt(receiver, await lastIou(request, payable, receiver));
      else if (code === PAID_TOO_LITTLE) {
        const fresh = await readInfo(true);
        if (!fresh.ok) return fresh;
        const stillPayable = await payableFor(fresh.value);
        if (!stillPayable.ok) return stillPayable;
        refusedPart = fresh.value.receiver === receiver ? price : 0n;
        info = fresh.value;
      } else {
        if (code === NOT_REGISTERED) payees?.doubt(receiver);
        break;
      }
    }
    return routesIn(request, answer);
  }

  /** What a service that says this is paid with. */
  async function payableFor({ price, receiver }: Info): Promise<Result<Ious>> {
    if (price > MAX_PRICE) return tooDear(price);
    if (ious === null) return refused('wants to be paid, and this node knows no OneToN contract');
    const trouble = (await payees?.trouble(receiver)) ?? null;
    return trouble === null ? { ok: true, value: ious } : refused(trouble);
  }

  function pay(request: RouteRequest, info: Info): Promise<Result<FoundRoute[]>> {
    const { receiver } = info;
    return inTurn(async () => {
      const payable = await payableFor(info);
      if (!payable.ok) return payable;
      const { value } = payable;
      if (value.isNew(receiver)) value.adopt(receiver, await lastIou(request, value, receiver));
      return findPaid(request, value, info);
    });
  }

  const lastIou = ({ tokenNetwork }: RouteRequest, payable: Ious, receiver: Address) =>
    call(`/${tokenNetwork}/payment/iou?${payable.query(receiver)}`);

  async function search(request: RouteRequest): Promise<Result<FoundRoute[]>> {
    let info = await readInfo();
    if (info.ok && info.value.price === 0n) {
      const answer = await askPaths(request);
      if (answer === null || errorOf(answer.body) !== MISSING_IOU) return routesIn(request, answer);
      info = await readInfo(true);
    }
    return info.ok ? pay(request, info.value) : info;
  }

  return {
    async find(request) {
      const found = await search(request);
      trouble = found.ok || found.detail === ENDS_OFFLINE ? null : (found.detail ?? null);
      return found;
    },

    asked: {
      trouble: () => trouble,
      async look() {
        const info = await readInfo(true);
        const isPaid = info.ok && info.value.price > 0n;
        const result = isPaid ? await payableFor(info.value) : info;
        trouble = result.ok ? null : (result.detail ?? null);
      },
    },

    report(route, isGood) {
      const key = route.join();
      const feedback = owed.get(key);
      if (feedback === undefined) return;
      owed.delete(key);
      const { tokenNetwork, token } = feedback;
      void call(`/${tokenNetwork}/feedback`, { token, path: route, success: isGood });
    },
  };
}

/** Runs one work after the other, whatever becomes of those before it. */
function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

function refused(what: string): Failure {
  return { ok: false, code: 'no_route', detail: `The path-finding service ${what}.` };
}

const ENDS_OFFLINE = refused(MEANINGS[OFFLINE] ?? '').detail;

function tooDear(price: bigint): Failure {
  return refused(`asks ${price} for a request, more than the ${MAX_PRICE} that this node pays`);
}

/** The service's error code; 0 when it gives none. Its error texts are a stranger's words and are not shown. */
function errorOf(body: unknown): number {
  const parsed = v.safeParse(errorShape, body);
  return parsed.success ? Number(parsed.output.error_code) : 0;
}

function refusalOf(code: number): Result<FoundRoute[]> {
  if (code === NO_ROUTE) return { ok: true, value: [] };
  return refused(MEANINGS[code] ?? `refuses with the error ${code}`);
}

const errorShape = v.looseObject({
  error_code: v.pipe(integerField, v.maxValue(99_999n)),
});
const infoShape = v.pipe(
  v.looseObject({
    price_info: integerField,
    payment_address: addressField,
    network_info: v.looseObject({
      chain_id: integerField,
      token_network_registry_address: addressField,
    }),
  }),
  v.transform(({ price_info: price, payment_address: receiver, network_info: network }): Info => {
    const { chain_id: chainId, token_network_registry_address: registry } = network;
    return { price, receiver, chainId, registry };
  }),
);
const pathsShape = v.looseObject({
  result: v.pipe(v.array(v.unknown()), v.maxLength(MAX_NODES)),
  feedback_token: v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{32}$/)),
});
const pathShape = v.looseObject({
  path: v.pipe(v.array(v.string()), v.maxLength(MAX_NODES)),
  estimated_fee: v.bigint(),
});

/** Reads one route; null when it is invalid, so that the other routes can still be used. */
function routeIn(entry: unknown): FoundRoute | null {
  const parsed = v.safeParse(pathShape, entry);
  if (!parsed.success) return null;
  const route = parsed.output.path.map(parseAddress).filter((node) => node !== null);
  if (route.length !== parsed.output.path.length) return null;
  return { route, estimatedFee: parsed.output.estimated_fee };
}
