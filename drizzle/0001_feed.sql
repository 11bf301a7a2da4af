CREATE TABLE `channels` (
	`id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`partner` text NOT NULL,
	`open_block` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `channels_pair` ON `channels` (`token`,`partner`);--> statement-breakpoint
CREATE TABLE `feed` (
	`seq` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`body` text NOT NULL,
	`time` integer NOT NULL
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
CREATE TABLE `webhooks` (
	`name` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `payments` ADD `channel` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `block` integer;--> statement-breakpoint
CREATE INDEX `payments_channel` ON `payments` (`channel`);