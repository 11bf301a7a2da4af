CREATE TABLE `departures` (
	`seq` integer PRIMARY KEY NOT NULL,
	`channel` text NOT NULL,
	`time` integer,
	`has_proofs` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `departures_with_proofs` ON `departures` (`seq`) WHERE "departures"."has_proofs" = 1;--> statement-breakpoint
INSERT INTO `departures` (`channel`, `time`, `has_proofs`)
	SELECT `id`, NULL, 1 FROM `ended`
	WHERE `id` >= 'channel:' AND `id` < 'channel;'
	AND NOT EXISTS (SELECT 1 FROM `actors` WHERE `actors`.`id` = `ended`.`id`)
	ORDER BY `id`;
