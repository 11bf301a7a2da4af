CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tabs` (
	`id` blob PRIMARY KEY NOT NULL,
	`key` blob NOT NULL,
	`payer` blob NOT NULL,
	`token` blob NOT NULL,
	`received` blob NOT NULL,
	`lumps` integer NOT NULL,
	`charged` blob NOT NULL,
	`begin` integer NOT NULL,
	`used` blob NOT NULL,
	`used_at` integer NOT NULL,
	`rest` blob,
	`attempt` integer,
	`since` integer,
	`over_at` integer
);
--> statement-breakpoint
CREATE INDEX `tabs_over` ON `tabs` (`over_at`);