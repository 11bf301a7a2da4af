CREATE TABLE `redemptions` (
	`secrethash` blob PRIMARY KEY NOT NULL,
	`payment_id` text NOT NULL,
	`request` text NOT NULL,
	`received` integer NOT NULL,
	`time` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `redemptions_received` ON `redemptions` (`received`);