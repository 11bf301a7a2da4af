CREATE TABLE `actors` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alarms` (
	`seq` integer PRIMARY KEY NOT NULL,
	`alarm` text NOT NULL,
	`channel` text NOT NULL,
	`detail` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `budgets` (
	`caller` text NOT NULL,
	`token` text NOT NULL,
	`hour` integer NOT NULL,
	`spent` text NOT NULL,
	PRIMARY KEY(`caller`, `token`, `hour`)
);
--> statement-breakpoint
CREATE TABLE `call_keys` (
	`part` integer NOT NULL,
	`key` blob NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`part`, `key`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `calls` (
	`seq` integer PRIMARY KEY NOT NULL,
	`caller` blob NOT NULL,
	`key` blob NOT NULL,
	`content` blob NOT NULL,
	`request` text NOT NULL,
	`payment_id` text,
	`answer` text,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `calls_caller` ON `calls` (`caller`);--> statement-breakpoint
CREATE INDEX `calls_under_way` ON `calls` (`seq`) WHERE "calls"."answer" IS NULL;--> statement-breakpoint
CREATE INDEX `calls_ended` ON `calls` (`time`) WHERE "calls"."answer" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `channels` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`token` text NOT NULL,
	`partner` text NOT NULL,
	`open_block` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channels_id_unique` ON `channels` (`id`);--> statement-breakpoint
CREATE INDEX `channels_pair` ON `channels` (`token`,`partner`);--> statement-breakpoint
CREATE TABLE `departures` (
	`seq` integer PRIMARY KEY NOT NULL,
	`channel` text NOT NULL,
	`time` integer NOT NULL,
	`has_proofs` integer NOT NULL,
	`ledger` integer
);
--> statement-breakpoint
CREATE INDEX `departures_with_proofs` ON `departures` (`seq`) WHERE "departures"."has_proofs" = 1;--> statement-breakpoint
CREATE TABLE `ended` (
	`id` text PRIMARY KEY NOT NULL,
	`block` integer
);
--> statement-breakpoint
CREATE TABLE `feed` (
	`seq` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`body` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `forced` (
	`account` text PRIMARY KEY NOT NULL,
	`full_block` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `history_filters` (
	`to_part` integer PRIMARY KEY NOT NULL,
	`bits` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `history_keys` (
	`part` integer NOT NULL,
	`kind` integer NOT NULL,
	`key` blob NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`part`, `kind`, `key`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `history_parts` (
	`number` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`from_seq` integer NOT NULL,
	`to_seq` integer NOT NULL,
	`rows` integer NOT NULL,
	`block` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `iou_sessions` (
	`receiver` text NOT NULL,
	`one_to_n` text NOT NULL,
	`amount` text NOT NULL,
	`claimable_until` integer NOT NULL,
	PRIMARY KEY(`receiver`, `one_to_n`)
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`seq` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`actor` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_key_unique` ON `jobs` (`key`);--> statement-breakpoint
CREATE TABLE `journal` (
	`seq` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`commit` integer NOT NULL,
	`turning` blob NOT NULL,
	`others` blob NOT NULL,
	`steps` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ledgers` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledgers_channel_unique` ON `ledgers` (`channel`);--> statement-breakpoint
CREATE TABLE `live_changes` (
	`seq` integer PRIMARY KEY NOT NULL,
	`changes` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `logs` (
	`channel` text NOT NULL,
	`block` integer NOT NULL,
	`log_index` integer NOT NULL,
	`body` text NOT NULL,
	PRIMARY KEY(`channel`, `block`, `log_index`)
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`summary` text NOT NULL,
	`body` text NOT NULL,
	`urgency` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`seq` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`queue` text,
	`recipient` text NOT NULL,
	`message_id` text NOT NULL,
	`nonce` text,
	`givers` text,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `payments` (
	`seq` integer PRIMARY KEY NOT NULL,
	`event` integer NOT NULL,
	`token` blob NOT NULL,
	`partner` blob NOT NULL,
	`payment_id` blob NOT NULL,
	`amount` blob NOT NULL,
	`reason` text,
	`secrethash` blob NOT NULL,
	`time` integer NOT NULL,
	`channel` integer,
	`block` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `redemption_keys` (
	`part` integer NOT NULL,
	`key` blob NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`part`, `key`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `redemptions` (
	`seq` integer PRIMARY KEY NOT NULL,
	`secrethash` blob NOT NULL,
	`payment_id` text NOT NULL,
	`request` text NOT NULL,
	`received` integer NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `redemptions_received` ON `redemptions` (`received`);--> statement-breakpoint
CREATE TABLE `spent` (
	`seq` integer PRIMARY KEY NOT NULL,
	`secrethash` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `steps` (
	`ledger` integer NOT NULL,
	`side` integer NOT NULL,
	`nonce` blob NOT NULL,
	`transferred_amount` blob NOT NULL,
	`locked_amount` blob NOT NULL,
	`locksroot` blob,
	`mark` blob NOT NULL,
	`changes` blob NOT NULL,
	PRIMARY KEY(`ledger`, `side`, `nonce`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `transactions` (
	`job` text NOT NULL,
	`step` integer NOT NULL,
	`nonce` integer NOT NULL,
	`hash` text NOT NULL,
	`raw` text NOT NULL,
	`max_fee_per_gas` text NOT NULL,
	`max_priority_fee_per_gas` text NOT NULL,
	`gas` text NOT NULL,
	`submitted_block` integer NOT NULL,
	PRIMARY KEY(`job`, `step`)
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`name` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL
);
