CREATE TABLE `ledgers` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledgers_channel_unique` ON `ledgers` (`channel`);--> statement-breakpoint
CREATE TABLE `steps` (
	`ledger` integer NOT NULL,
	`side` integer NOT NULL,
	`nonce` blob NOT NULL,
	`transferred_amount` blob NOT NULL,
	`locked_amount` blob NOT NULL,
	`locksroot` blob,
	`mark` blob NOT NULL,
	`secrethash` blob,
	`expiration` blob,
	`amount` blob,
	PRIMARY KEY(`ledger`, `side`, `nonce`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `departures` ADD `ledger` integer;