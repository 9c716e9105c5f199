import { Migration } from '@mikro-orm/migrations';

/** Composes the names and titles that people compare and seek (NFC); requests compose new ones. Issued certificates and decisions stay. */
export class Migration20261127134702_composed_texts extends Migration {
  override name = 'Migration20261127134702_composed_texts';

  override async up(): Promise<void> {
    this.addSql(`
update users set name = normalize(name) where name is not normalized;
update profiles set name = normalize(name), data = normalize(data::text)::jsonb where name is not normalized or data::text is not normalized;
update events set title = normalize(title), location = normalize(location) where title is not normalized or location is not normalized;
update additional_documents set title = normalize(title) where title is not normalized;
`);
  }

  // The former spelling of a text is not kept, and both spellings are one text.
  override async down(): Promise<void> {}
}
