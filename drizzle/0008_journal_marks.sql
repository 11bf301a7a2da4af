DROP INDEX `journal_marks`;--> statement-breakpoint
CREATE INDEX `journal_marks_in_order` ON `journal` (`seq`,`actor`,`kind`) WHERE "journal"."kind" <> 'event';