ALTER TABLE `journal` ADD `commit` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `journal` ADD `kind` text DEFAULT 'event' NOT NULL;--> statement-breakpoint
ALTER TABLE `journal` ADD `cause_seq` integer;--> statement-breakpoint
ALTER TABLE `journal` ADD `version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `journal_marks` ON `journal` (`actor`) WHERE "journal"."kind" <> 'event';