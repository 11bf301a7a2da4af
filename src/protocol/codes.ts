/**
 * Every reason for which a command can be refused or a payment can fail. The list is complete: the HTTP API maps each
 * one.
 */
export const CODES = [
  // shape
  'broken_request',
  'malformed_json',
  'invalid_shape',
  'invalid_address',
  'unknown_endpoint',
  'method_not_allowed',
  'body_too_large',
  'unsupported_media_type',
  'forbidden_origin',
  'unauthorized',
  'out_of_scope',
  'above_cap',
  'invalid_key',
  'key_reused',
  'too_many_keys',
  // state of the node
  'syncing',
  'shutting_down',
  'too_many_calls',
  'main_network',
  'disk_full',
  'database_lost',
  'broker_unavailable',
  'replica_unavailable',
  'unreadable',
  'safe_mode',
  'standby',
  // things that are not there
  'unknown_token',
  'unknown_channel',
  'nothing_waits',
  'no_user_deposit',
  // values
  'conflicting_fields',
  'invalid_amount',
  'invalid_identifier',
  'invalid_timeout',
  'unsafe_timeouts',
  'invalid_secret',
  'invalid_partner',
  'invalid_token',
  'token_not_registered',
  'token_registered',
  'token_network_limit',
  'channel_exists',
  'channel_not_open',
  'busy',
  'total_not_higher',
  'above_balance',
  'above_plan',
  'too_early',
  'invalid_block',
  'above_limit',
  'too_many_locks',
  // money
  'insufficient_balance',
  'insufficient_gas',
  // payments
  'no_route',
  'secret_used',
  'identifier_used',
  'lock_expired',
  'partner_silent',
  'partner_unreachable',
  'channel_closed',
  // chain
  'transaction_failed',
  'mint_failed',
  'chain_unavailable',
] as const;

export type Code = (typeof CODES)[number];

/**
 * What has become of a command that did not succeed. `not_begun`: nothing has begun, and nothing will; `pending`: something
 * may have begun, and may still happen; `failed`: it was begun, and is over without success.
 */
export const OUTCOMES = ['not_begun', 'pending', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * An expected failure: the code, and what a person should know or do. Never a secret or a path. `outcome`: absent: nothing
 * has begun.
 */
export type Failure = {
  ok: false;
  code: Code;
  detail?: string;
  outcome?: Exclude<Outcome, 'not_begun'>;
};
export type Result<T> = { ok: true; value: T } | Failure;

export const failure = (code: Code, detail = ''): Failure => ({ ok: false, code, detail });
