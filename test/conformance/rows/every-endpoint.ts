/** What holds for every endpoint: wrong addresses and methods, a node that is not ready, ends or fails. */
import { until } from '../../support/until.ts';
import { ALL_ENDPOINTS, AT_ONCE, BODY_ENDPOINTS, type Endpoint } from '../documented.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];
const pathOf = (endpoint: Endpoint) => endpoint.split(' ')[1] ?? '';
/** The same for all endpoints under one URL, whatever they call its parts. */
const placeOf = (endpoint: Endpoint) => pathOf(endpoint).replace(/\{\w+\}/g, '*');
/** A body that the endpoint accepts, so that nothing else is wrong with the request. */
const BODIES: Partial<Record<Endpoint, unknown>> = {
  'PUT /channels': { token_address: '{token}', partner_address: '{someone1}' },
  'PATCH /channels/{token_address}/{partner_address}': { total_deposit: '1000' },
  'POST /payments/{token_address}/{target_address}': { amount: '1' },
  'POST /user_deposit': { total_deposit: '1' },
  'PUT /connections/{token_address}': { funds: '1' },
  'POST /_testing/tokens/{token_address}/mint': { to: '{alice}', value: '1' },
};
const bodyOf = (endpoint: Endpoint) => (endpoint in BODIES ? { body: BODIES[endpoint] } : {});

const isGone = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  );

/** Each address of each path, in each form that is no address. */
const addressRows = ALL_ENDPOINTS.flatMap((endpoint) => {
  const places = [...pathOf(endpoint).matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place);
  const wrong = [
    ['in lower case', '{tokenLower}'],
    ['without 0x', '{tokenBare}'],
    ['one digit short', '{tokenShort}'],
    ['not hexadecimal', 'nobody'],
  ];
  return at(
    endpoint,
    places.flatMap((place) =>
      wrong.map(([what, value = '']) => ({
        condition: `${place} is ${what}`,
        source: 'decision: Order of checks, address in the path not EIP-55 404' as const,
        with: { [place]: value },
        ...bodyOf(endpoint),
        status: 404,
        answer: form.refused,
      })),
    ),
  );
});

const methodRows = ALL_ENDPOINTS.flatMap((endpoint) => {
  const place = placeOf(endpoint);
  const right = ALL_ENDPOINTS.filter((each) => placeOf(each) === place).map(
    (each) => each.split(' ')[0] ?? '',
  );
  const method = METHODS.findLast((name) => !right.includes(name)) ?? '';
  const allow = right.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
  return at(endpoint, [
    {
      condition: `the method is ${method}`,
      source: 'decision: Order of checks, wrong method 405 with Allow',
      method,
      status: 405,
      answer: form.refused,
      shownHeaders: { allow },
    },
  ]);
});

const unreadyRows = ALL_ENDPOINTS.filter((endpoint) => !AT_ONCE.includes(endpoint)).flatMap(
  (endpoint) =>
    at(endpoint, [
      {
        condition: 'the node is catching up with the chain',
        source: 'document: Errors, 503 initial sync',
        node: 'syncing',
        ...bodyOf(endpoint),
        status: 503,
        answer: form.refused,
        shownHeaders: { 'retry-after': '5' },
      },
      {
        condition: 'there is no connection to the chain',
        source: 'document: Errors, 503 unavailable',
        node: 'cutOff',
        ...bodyOf(endpoint),
        status: 503,
        answer: form.refused,
        shownHeaders: { 'retry-after': '5' },
      },
      {
        condition: 'its turn would not come in time',
        source: 'document: Limits, calls are handled one at a time, and the others queue',
        node: 'busy',
        ...bodyOf(endpoint),
        status: 503,
        answer: form.refused,
        shows: { code: 'too_many_calls' },
      },
    ]),
);

const endingRows = ALL_ENDPOINTS.flatMap((endpoint) =>
  at(endpoint, [
    {
      condition: 'the node is shutting down',
      source: 'document: Errors, 503 shutting down',
      node: 'ending',
      ...bodyOf(endpoint),
      status: 503,
      answer: form.refused,
    },
    {
      condition: 'the node has failed',
      source: 'document: Errors, 500 is a plain string, and the API server is shut down',
      node: 'broken',
      ...bodyOf(endpoint),
      status: 500,
      answer: form.internalError,
      // A connection that is still open may get one more answer, with 503.
      afterwards: (devnet) => until(() => isGone(`${devnet.lastUrl()}/api/v1/status`), 'its end'),
    },
  ]),
);

const headRows = ALL_ENDPOINTS.filter((endpoint) => endpoint.startsWith('GET ')).flatMap(
  (endpoint) =>
    at(endpoint, [
      {
        condition: 'only the head is asked for',
        source: 'decision: Order of checks, Allow lists GET and with it HEAD',
        method: 'HEAD',
        status: 200,
        answer: form.nothing,
      },
    ]),
);

/** Endpoints that read no body ignore one, be it `null`, an empty object or broken JSON. */
const ignoredBodyRows = ALL_ENDPOINTS.filter(
  (each) => !BODY_ENDPOINTS.includes(each) && !each.startsWith('GET ') && each !== 'POST /shutdown',
).flatMap((endpoint) =>
  at(
    endpoint,
    ['null', '{}', '{"a":'].map((raw) => ({
      condition: `a body is sent that nobody reads: ${raw}`,
      source: 'decision: Shape or value, a body is never parsed for DELETE and PUT tokens' as const,
      with: { token_address: '{third}' },
      node: 'production' as const,
      raw,
      status: endpoint.startsWith('PUT') ? 501 : 404,
      answer: form.refused,
    })),
  ),
);

export const everywhereRows: Row[] = [
  ...addressRows,
  ...methodRows,
  ...unreadyRows,
  ...headRows,
  ...ignoredBodyRows,
  ...endingRows,
];
