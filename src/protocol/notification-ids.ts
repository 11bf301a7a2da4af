/** What an operator is notified of. Source: specification, notifications; the last six are this project's own. */
export const NOTIFICATION_IDS = [
  'low_rdn',
  'version_outdated',
  'missing_gas_reserve',
  'unsafe_timeouts',
  'version_security_warning',
  /** A pending lock had nobody to answer for it. */
  'unanswered_lock',
  /** The path-finding service is no help. */
  'routing_unavailable',
  /** No payment leaves or comes. */
  'broker_unavailable',
  /** Nothing can be promised on what is known of the chain. */
  'chain_unavailable',
  /** Nothing more is promised until there is room for the database. */
  'disk_full',
  /** Nothing is promised until the operator accepts the new chain. */
  'chain_replaced',
] as const;
export type NotificationId = (typeof NOTIFICATION_IDS)[number];
