-- What one actor says to another is called actor.* now; it was told.* before. In text a quote is escaped, so that
-- no partner's message can look like the field.
UPDATE `journal` SET `event` = replace(`event`, '"type":"told.', '"type":"actor.')
  WHERE `kind` = 'event' AND `event` LIKE '%"type":"told.%';
