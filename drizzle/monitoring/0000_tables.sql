CREATE TABLE `channels` (
	`channel` text PRIMARY KEY NOT NULL,
	`token_network` text NOT NULL,
	`channel_id` text NOT NULL,
	`participant1` text NOT NULL,
	`participant2` text NOT NULL,
	`settle_timeout` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `closes` (
	`channel` text PRIMARY KEY NOT NULL,
	`token_network` text NOT NULL,
	`channel_id` text NOT NULL,
	`closing` text NOT NULL,
	`non_closing` text NOT NULL,
	`close_block` integer NOT NULL,
	`settle_block` integer NOT NULL,
	`chain_nonce` text NOT NULL,
	`is_settled` integer NOT NULL,
	`state` text NOT NULL,
	`nonce` text NOT NULL,
	`reward` text NOT NULL,
	`job` text,
	`job_nonce` text NOT NULL,
	`job_reward` text NOT NULL,
	`tries` integer NOT NULL,
	`not_before_block` integer NOT NULL,
	`transaction_hash` text
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`seq` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_key_unique` ON `jobs` (`key`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `requests` (
	`channel` text NOT NULL,
	`non_closing` text NOT NULL,
	`partner` text NOT NULL,
	`nonce` text NOT NULL,
	`balance_hash` text NOT NULL,
	`additional_hash` text NOT NULL,
	`proof_signature` text NOT NULL,
	`non_closing_signature` text NOT NULL,
	`reward` text NOT NULL,
	`reward_signature` text NOT NULL,
	`waiting_since` integer,
	PRIMARY KEY(`channel`, `non_closing`)
);
--> statement-breakpoint
CREATE INDEX `requests_waiting` ON `requests` (`waiting_since`);--> statement-breakpoint
CREATE TABLE `token_networks` (
	`address` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL
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
