DROP INDEX `payments_channel`;--> statement-breakpoint
CREATE INDEX `payments_channel_block` ON `payments` (`channel`,`block`);