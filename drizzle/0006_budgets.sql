CREATE TABLE `budgets` (
	`caller` text NOT NULL,
	`token` text NOT NULL,
	`hour` integer NOT NULL,
	`spent` text NOT NULL,
	PRIMARY KEY(`caller`, `token`, `hour`)
);
