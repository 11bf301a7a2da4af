CREATE TABLE `spent` (
	`secrethash` blob PRIMARY KEY NOT NULL
) WITHOUT ROWID;
