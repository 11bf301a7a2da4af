/** Each reason for a refusal with its HTTP status and the sentence that a person reads. */
import type { Code } from '../protocol/codes.ts';

export type ErrorEntry = {
  status: number;
  text: string;
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
};

/**
 * Complete: a code without a row does not compile. Status codes: API document, Errors. From the literal types the
 * client derives the statuses of an endpoint.
 */
export const ERRORS = {
  broken_request: { status: 400, text: 'This is not HTTP.' },
  malformed_json: { status: 400, text: 'The body is not valid JSON.' },
  invalid_shape: { status: 400, text: 'The request has the wrong shape.' },
  invalid_address: {
    status: 404,
    text: 'An address in the URL is not a valid EIP-55 checksummed address.',
  },
  unknown_endpoint: { status: 404, text: 'There is no such endpoint.' },
  method_not_allowed: { status: 405, text: 'The endpoint does not take this method.' },
  body_too_large: { status: 413, text: 'The body is too large.' },
  unsupported_media_type: { status: 415, text: 'The body must be sent as application/json.' },
  forbidden_origin: { status: 403, text: 'The request comes from a foreign site or host name.' },
  unauthorized: { status: 401, text: 'The request carries no valid bearer token.' },

  out_of_scope: { status: 403, text: 'The bearer token does not allow this call.' },
  above_cap: { status: 403, text: 'The amount is above what the bearer token allows.' },

  syncing: { status: 503, text: 'The node is catching up with the chain.', retryAfter: 5 },
  shutting_down: { status: 503, text: 'The node is shutting down.' },
  too_many_calls: { status: 503, text: 'Too many calls at a time.', retryAfter: 5 },
  disk_full: {
    status: 503,
    text: 'The disk of the node is nearly full.',
    retryAfter: 60,
  },
  broker_unavailable: {
    status: 503,
    text: 'The message broker cannot be reached.',
    retryAfter: 5,
  },
  replica_unavailable: {
    status: 503,
    text: 'The replica of the database cannot be reached.',
    retryAfter: 5,
  },
  safe_mode: { status: 503, text: 'The node is in safe mode.' },
  standby: { status: 503, text: 'The node is a standby.', retryAfter: 5 },
  main_network: { status: 501, text: 'This works on test networks only.' },

  unknown_token: { status: 404, text: 'There is no token network for the token.' },
  unknown_channel: { status: 404, text: 'There is no channel with the partner for the token.' },
  no_user_deposit: { status: 404, text: 'No user-deposit contract is configured.' },

  conflicting_fields: { status: 409, text: 'Only one of these fields may be given at a time.' },
  invalid_amount: { status: 409, text: 'The amount is out of range.' },
  invalid_identifier: { status: 409, text: 'The identifier must be from 1 to 2^64 - 1.' },
  invalid_timeout: { status: 409, text: 'The timeout is out of range.' },
  unsafe_timeouts: {
    status: 409,
    text: 'The timeouts of the channel leave no time to protect a lock on chain.',
  },
  invalid_secret: { status: 409, text: 'The secret and its hash cannot be used.' },
  invalid_partner: { status: 409, text: 'The partner or target cannot be this address.' },
  invalid_token: { status: 409, text: 'The address is not a usable ERC-20 token.' },
  token_not_registered: { status: 409, text: 'The token is not registered.' },
  token_registered: { status: 409, text: 'The token is registered already.' },
  token_network_limit: { status: 403, text: 'The maximum number of token networks is reached.' },
  channel_exists: { status: 409, text: 'A channel with the partner exists for the token.' },
  channel_not_open: { status: 409, text: 'The channel is not open.' },
  busy: { status: 409, text: 'Another operation on this is not finished yet.' },
  total_not_higher: { status: 409, text: 'The total must be higher than before.' },
  above_balance: { status: 409, text: 'The amount is above what is available.' },
  above_plan: { status: 409, text: 'The amount is above the planned withdrawal.' },
  too_early: { status: 409, text: 'The withdrawal delay has not passed yet.' },
  invalid_block: { status: 409, text: 'The block number must be from 0 to 2^64 - 1.' },
  above_limit: { status: 409, text: 'The amount is above a limit.' },
  too_many_locks: { status: 409, text: 'Too many payments are pending in the channel.' },

  insufficient_balance: { status: 402, text: 'The balance is insufficient.' },
  insufficient_gas: { status: 402, text: 'There is not enough native currency to pay for gas.' },

  no_route: { status: 409, text: 'There is no usable route to the target.' },
  secret_used: { status: 409, text: 'The secret was used before.' },
  identifier_used: {
    status: 409,
    text: 'A different payment with this identifier is in flight to the target.',
  },
  lock_expired: { status: 409, text: 'The lock expired before the secret was revealed.' },
  partner_silent: { status: 409, text: 'The partner does not answer.' },
  channel_closed: { status: 409, text: 'The channel was closed.' },

  transaction_failed: { status: 409, text: 'The transaction failed.' },
  mint_failed: { status: 400, text: 'The tokens could not be minted.' },
  chain_unavailable: {
    status: 503,
    text: 'The chain cannot be relied on at this moment.',
    retryAfter: 5,
  },
} as const satisfies Record<Code, ErrorEntry>;
