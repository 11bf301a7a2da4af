CREATE TABLE `iou_sessions` (
	`receiver` text NOT NULL,
	`one_to_n` text NOT NULL,
	`amount` text NOT NULL,
	`claimable_until` integer NOT NULL,
	PRIMARY KEY(`receiver`, `one_to_n`)
);
