/** Each reason for a refusal with its HTTP status and the sentence that a person reads. */
import type { Code } from '../../protocol/codes.ts';

export type ErrorEntry = {
  status: number;
  text: string;
  /** What the caller does, where the node says nothing closer. */
  advice?: string;
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
};
/** Each refusal of the state of things, which the caller could not foresee, says what to do. */
type Entry =
  | (ErrorEntry & { status: 409; advice: string })
  | (ErrorEntry & {
      status: 400 | 401 | 402 | 403 | 404 | 405 | 413 | 415 | 422 | 429 | 501 | 503;
    });

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
  invalid_key: { status: 400, text: 'The Idempotency-Key is malformed.' },
  key_reused: { status: 422, text: 'The Idempotency-Key belongs to another request.' },
  too_many_keys: {
    status: 429,
    text: 'Too many keys of this caller are kept.',
    retryAfter: 60,
  },
  above_cap: { status: 403, text: 'The amount is above what the bearer token allows.' },

  syncing: { status: 503, text: 'The node is catching up with the chain.', retryAfter: 5 },
  shutting_down: { status: 503, text: 'The node is shutting down.' },
  too_many_calls: { status: 503, text: 'Too many calls at a time.', retryAfter: 5 },
  disk_full: {
    status: 503,
    text: 'The disk of the node is nearly full.',
    retryAfter: 60,
  },
  database_lost: {
    status: 503,
    text: 'The database of the node was deleted or replaced.',
    retryAfter: 30,
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
  unreadable: { status: 503, text: 'What is asked for cannot be read from the disk.' },
  safe_mode: { status: 503, text: 'The node is in safe mode.' },
  standby: { status: 503, text: 'The node is a standby.', retryAfter: 5 },
  main_network: { status: 501, text: 'This works on test networks only.' },

  unknown_token: { status: 404, text: 'There is no token network for the token.' },
  unknown_channel: { status: 404, text: 'There is no channel with the partner for the token.' },
  nothing_waits: {
    status: 404,
    text: 'No transaction waits in a channel with the partner for the token. GET /waiting_transactions lists all that wait.',
  },
  no_user_deposit: { status: 404, text: 'No user-deposit contract is configured.' },

  conflicting_fields: {
    status: 409,
    text: 'Only one of these fields may be given at a time.',
    advice: 'Send one of them.',
  },
  invalid_amount: {
    status: 409,
    text: 'The amount is out of range.',
    advice: 'Send a positive amount that 256 bits hold, in the smallest unit of the token.',
  },
  invalid_identifier: {
    status: 409,
    text: 'The identifier must be from 1 to 2^64 - 1.',
    advice: 'Send another one, or none.',
  },
  invalid_timeout: {
    status: 409,
    text: 'The timeout is out of range.',
    advice: 'Send one within the bounds, or none.',
  },
  unsafe_timeouts: {
    status: 409,
    text: 'The timeouts of the channel leave no time to protect a lock on chain.',
    advice: 'Close the channel and open another one with longer timeouts.',
  },
  invalid_secret: {
    status: 409,
    text: 'The secret and its hash cannot be used.',
    advice: 'Send another secret with its own hash, or neither.',
  },
  invalid_partner: {
    status: 409,
    text: 'The partner or target cannot be this address.',
    advice: 'Name another node than this one.',
  },
  invalid_token: {
    status: 409,
    text: 'The address is not a usable ERC-20 token.',
    advice: 'Name the contract of an ERC-20 token.',
  },
  token_not_registered: {
    status: 409,
    text: 'The token is not registered.',
    advice: 'Register it first, with PUT /tokens.',
  },
  token_registered: {
    status: 409,
    text: 'The token is registered already.',
    advice: 'Use it: nothing has to be done.',
  },
  token_network_limit: { status: 403, text: 'The maximum number of token networks is reached.' },
  channel_exists: {
    status: 409,
    text: 'A channel with the partner exists for the token.',
    advice: 'Deposit into it instead, with PATCH.',
  },
  channel_not_open: {
    status: 409,
    text: 'The channel is not open.',
    advice: 'Wait until it is settled and open another one, or use one with another partner.',
  },
  busy: {
    status: 409,
    text: 'Another operation on this is not finished yet.',
    advice: 'Wait until that is over, then ask again.',
  },
  total_not_higher: {
    status: 409,
    text: 'The total must be higher than before.',
    advice: 'Send the new total, not the difference.',
  },
  above_balance: {
    status: 409,
    text: 'The amount is above what is available.',
    advice: 'Send less, or deposit more first.',
  },
  above_plan: {
    status: 409,
    text: 'The amount is above the planned withdrawal.',
    advice: 'Withdraw less, or plan more first.',
  },
  too_early: {
    status: 409,
    text: 'The withdrawal delay has not passed yet.',
    advice: 'Ask again when the block is reached that the plan named.',
  },
  invalid_block: {
    status: 409,
    text: 'The block number must be from 0 to 2^64 - 1.',
    advice: 'Send one within these bounds, or none.',
  },
  above_limit: {
    status: 409,
    text: 'The amount is above a limit.',
    advice: 'Send less.',
  },
  too_many_locks: {
    status: 409,
    text: 'Too many payments are pending in the channel.',
    advice: 'Ask again when some have ended.',
  },

  insufficient_balance: { status: 402, text: 'The balance is insufficient.' },
  insufficient_gas: { status: 402, text: 'There is not enough native currency to pay for gas.' },

  no_route: {
    status: 409,
    text: 'There is no usable route to the target.',
    advice: 'Open a channel with the target or with a node that reaches it, or pay less.',
  },
  secret_used: {
    status: 409,
    text: 'The secret was used before.',
    advice: 'Send another one, or none.',
  },
  identifier_used: {
    status: 409,
    text: 'A different payment with this identifier is in flight to the target.',
    advice: 'Wait until that is over, or send another identifier.',
  },
  lock_expired: {
    status: 409,
    text: 'The lock expired before it was claimed.',
    advice: 'Ask the target if another node paid it; if not, pay again, with another key.',
  },
  partner_silent: {
    status: 409,
    text: 'The partner does not answer.',
    advice: 'Ask again when it answers, or use a channel with another partner.',
  },
  partner_unreachable: {
    status: 409,
    text: 'The next node on the path is away.',
    advice: 'Ask again when it is back, or pay over another one.',
    retryAfter: 5,
  },
  channel_closed: {
    status: 409,
    text: 'The channel was closed.',
    advice: 'Pay through another channel, or open one when this is settled.',
  },

  transaction_failed: {
    status: 409,
    text: 'The transaction failed.',
    advice: 'Look for the reason in the log of the node, then ask again.',
  },
  mint_failed: { status: 400, text: 'The tokens could not be minted.' },
  chain_unavailable: {
    status: 503,
    text: 'The chain cannot be relied on at this moment.',
    retryAfter: 5,
  },
} as const satisfies Record<Code, Entry>;
