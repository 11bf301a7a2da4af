/** What an operator is notified of. Source: specification, notifications; those with a comment are this project's own. */
export const NOTIFICATION_IDS = [
  'low_rdn',
  'version_outdated',
  'missing_gas_reserve',
  'unsafe_timeouts',
  'version_security_warning',
  /** A pending lock had no payment actor to look after it. */
  'unanswered_lock',
  /** The path-finding service does not give this node routes. */
  'routing_unavailable',
  /** This node can neither send nor receive payments: it is not connected to a message broker. */
  'broker_unavailable',
  /** The replica of the database does not acknowledge what happens. */
  'replica_unavailable',
  /** Partners have made this node register many secrets: it has paid gas for locks that they could have unlocked. */
  'gas_budget_spent',
  /** This node makes and accepts no lock, because what it knows of the chain is out of date. */
  'chain_unavailable',
  /** This node makes and accepts no lock until there is room for the database. */
  'disk_full',
  /** The database was deleted or replaced while the node had it open: it makes and accepts no lock. */
  'database_lost',
  /** A file is missing that the next start needs. */
  'file_missing',
  /** A certificate with which the broker is reached ends soon. */
  'certificate_ending',
  /** The newest backup of the database is old, and it is replicated nowhere. */
  'backup_old',
  /** The standby that could take over is gone. */
  'standby_missing',
  /** Monitoring services are asked to look after the channels, and could not be paid for it. */
  'monitoring_unpaid',
  /** This node makes and accepts no lock until the operator accepts the new chain after a reorganisation. */
  'chain_replaced',
  /** A partner has acknowledged so little that no lock is given in its channel. */
  'partner_silent',
  /** Channels can only be closed, because an old copy of the database has run. */
  'channel_frozen',
  /** Deadlines are judged too late, because this machine is too busy. */
  'node_late',
  /** A transaction that this node needs has failed three times in a row. */
  'transactions_failing',
] as const;
export type NotificationId = (typeof NOTIFICATION_IDS)[number];
