CREATE TABLE `forced` (
	`account` text PRIMARY KEY NOT NULL,
	`full_block` integer NOT NULL
);
