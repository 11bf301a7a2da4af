CREATE TABLE `actors` (
	`id` text PRIMARY KEY NOT NULL,
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
CREATE TABLE `ended` (
	`id` text PRIMARY KEY NOT NULL
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
	`actor` text NOT NULL,
	`cause` text NOT NULL,
	`event` text NOT NULL,
	`state` text NOT NULL,
	`block` integer NOT NULL,
	`time` integer NOT NULL
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
CREATE TABLE `outbox` (
	`seq` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`queue` text,
	`recipient` text NOT NULL,
	`message_id` text NOT NULL,
	`nonce` text,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_key_unique` ON `outbox` (`key`);--> statement-breakpoint
CREATE TABLE `payments` (
	`seq` integer PRIMARY KEY NOT NULL,
	`event` text NOT NULL,
	`token` text NOT NULL,
	`token_network` text NOT NULL,
	`partner` text NOT NULL,
	`payment_id` text NOT NULL,
	`amount` text NOT NULL,
	`reason` text,
	`secrethash` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `payments_partner` ON `payments` (`partner`);--> statement-breakpoint
CREATE INDEX `payments_secrethash` ON `payments` (`secrethash`);--> statement-breakpoint
CREATE TABLE `proofs` (
	`channel` text NOT NULL,
	`side` text NOT NULL,
	`nonce` text NOT NULL,
	`transferred_amount` text NOT NULL,
	`locked_amount` text NOT NULL,
	`locksroot` text NOT NULL,
	`balance_hash` text NOT NULL,
	`additional_hash` text,
	`signature` text,
	`change_kind` text,
	`lock` text,
	`secrethash` text,
	PRIMARY KEY(`channel`, `side`, `nonce`)
);
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
