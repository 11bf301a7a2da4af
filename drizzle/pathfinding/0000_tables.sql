CREATE TABLE `capacities` (
	`token_network` text NOT NULL,
	`channel_id` text NOT NULL,
	`updating_participant` text NOT NULL,
	`updating_nonce` text NOT NULL,
	`other_nonce` text NOT NULL,
	`updating_capacity` text NOT NULL,
	`other_capacity` text NOT NULL,
	`reveal_timeout` text NOT NULL,
	PRIMARY KEY(`token_network`, `channel_id`, `updating_participant`)
);
--> statement-breakpoint
CREATE TABLE `channels` (
	`token_network` text NOT NULL,
	`channel_id` text NOT NULL,
	`participant1` text NOT NULL,
	`participant2` text NOT NULL,
	`settle_timeout` text NOT NULL,
	`deposit1` text NOT NULL,
	`deposit2` text NOT NULL,
	`withdraw1` text NOT NULL,
	`withdraw2` text NOT NULL,
	PRIMARY KEY(`token_network`, `channel_id`)
);
--> statement-breakpoint
CREATE TABLE `failed_paths` (
	`token_network` text NOT NULL,
	`path` text NOT NULL,
	`until` integer NOT NULL,
	PRIMARY KEY(`token_network`, `path`)
);
--> statement-breakpoint
CREATE TABLE `feedback_tokens` (
	`token` text PRIMARY KEY NOT NULL,
	`token_network` text NOT NULL,
	`paths` text NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `feedback_tokens_time` ON `feedback_tokens` (`time`);--> statement-breakpoint
CREATE TABLE `fees` (
	`token_network` text NOT NULL,
	`channel_id` text NOT NULL,
	`updating_participant` text NOT NULL,
	`flat` text NOT NULL,
	`proportional` text NOT NULL,
	`cap_fees` integer NOT NULL,
	`curve` text,
	`timestamp` text NOT NULL,
	PRIMARY KEY(`token_network`, `channel_id`, `updating_participant`)
);
--> statement-breakpoint
CREATE TABLE `ious` (
	`sender` text NOT NULL,
	`claimable_until` integer NOT NULL,
	`amount` text NOT NULL,
	`signature` text NOT NULL,
	`since_block` integer NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`sender`, `claimable_until`)
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
