/** Every endpoint, and each status code that the document or the decisions page gives it. */
export const ENDPOINTS = {
  'GET /address': [200],
  'GET /version': [200],
  'GET /status': [200],
  'GET /settings': [200],
  'GET /contracts': [200],
  'POST /shutdown': [200],
  'GET /tokens': [200],
  'GET /tokens/{token_address}': [200, 404],
  'GET /tokens/{token_address}/partners': [200, 404],
  'PUT /tokens/{token_address}': [201, 402, 403, 404, 409, 501],
  'GET /channels': [200],
  'GET /channels/{token_address}': [200, 404],
  'GET /channels/{token_address}/{partner_address}': [200, 404],
  'PUT /channels': [201, 400, 402, 409],
  'PATCH /channels/{token_address}/{partner_address}': [200, 400, 402, 404, 409],
  'GET /payments': [200, 400, 409],
  'GET /payments/{token_address}': [200, 400, 404, 409],
  'GET /payments/{token_address}/{partner_address}': [200, 400, 404, 409],
  'POST /payments/{token_address}/{target_address}': [200, 400, 402, 404, 409],
  'POST /user_deposit': [200, 400, 402, 404, 409],
  'GET /connections': [200],
  'PUT /connections/{token_address}': [200, 400, 402, 404, 409],
  'DELETE /connections/{token_address}': [200, 404],
  'GET /pending_transfers': [200],
  'GET /pending_transfers/{token_address}': [200, 404],
  'GET /pending_transfers/{token_address}/{partner_address}': [200, 404],
  'GET /events/channels/{token_address}/{partner_address}': [200, 400, 404, 409],
  'GET /notifications': [200],
  'POST /_testing/tokens/{token_address}/mint': [200, 400, 404, 501],
} as const satisfies Record<string, readonly number[]>;

/** Stands for every URL that is none of them. */
export const NO_ENDPOINT = 'GET /nothing';
type Known = keyof typeof ENDPOINTS;
/** Not in the document, and no part of what is asked of every endpoint. */
type Added =
  | 'GET /openapi.json'
  | 'GET /livez'
  | 'GET /readyz'
  | 'GET /health'
  | 'GET /pending_channels'
  | 'GET /waiting_transactions'
  | 'POST /waiting_transactions';
export type Endpoint = Known | Added | typeof NO_ENDPOINT;
export const ALL_ENDPOINTS = Object.keys(ENDPOINTS).filter(isEndpoint);

/** Status codes that the document gives to the whole API, and those of every endpoint that reads a body. */
export const EVERYWHERE = [405, 500, 503] as const;
export const WITH_BODY = [400, 413, 415] as const;

/** Endpoints that answer whatever the node is doing, until it shuts down. */
export const AT_ONCE: readonly Endpoint[] = ['GET /status', 'POST /shutdown'];
/** Status codes of the endpoints whose calls can be repeated under a key. */
export const WITH_KEY = [400, 422] as const;
export const KEY_ENDPOINTS: readonly Endpoint[] = [
  'PUT /tokens/{token_address}',
  'PUT /channels',
  'PATCH /channels/{token_address}/{partner_address}',
  'POST /payments/{token_address}/{target_address}',
  'POST /user_deposit',
  'PUT /connections/{token_address}',
  'POST /_testing/tokens/{token_address}/mint',
];
/** The only endpoints that read a body. */
export const BODY_ENDPOINTS: readonly Endpoint[] = [
  'PUT /channels',
  'PATCH /channels/{token_address}/{partner_address}',
  'POST /payments/{token_address}/{target_address}',
  'POST /user_deposit',
  'PUT /connections/{token_address}',
  'POST /_testing/tokens/{token_address}/mint',
];

/**
 * The document gives 302 to the partners of a token "when the channel link is accessed". The decisions page
 * has the list answered with 200, and its links lead to the channel: nothing is redirected.
 */
export const DECIDED_AWAY = { 'GET /tokens/{token_address}/partners': [302] } as const;

function isEndpoint(name: string): name is Known {
  return name in ENDPOINTS;
}
