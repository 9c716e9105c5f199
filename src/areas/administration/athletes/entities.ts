import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { ProfileEntity, type ReviewStatus } from '../../profiles/index.ts';

/**
 * What administrators find an athlete by; one row for each athlete's profile. Written by the database itself with the profile, the e-mail of
 * its owner and its applications (triggers of the migration `athlete_entries`), so no command can forget it. Years and no flags: whether a
 * certificate is in force depends on the clock, and no row changes when a year ends.
 */
export const AthleteEntryEntity = defineEntity({
  name: 'AthleteEntry',
  tableName: 'athlete_entries',
  properties: {
    profileId: () =>
      p
        .manyToOne(ProfileEntity)
        .mapToPk()
        .primary()
        .fieldName('profile_id')
        .deleteRule('cascade')
        .foreignKeyName('athlete_entries_profile_fk'),
    // Of the profile.
    status: p.string().length(20).$type<ReviewStatus>(),
    // The latest year of a national certificate that was issued and not annulled; all of them end with their year (service.md "Limits").
    issuedYear: p.integer().strictNullable(),
    // The latest year of an application for one that was sent or returned.
    pendingYear: p.integer().strictNullable(),
    // Of name, city, e-mail, phone, IIN and id, as `athlete_words` of the database makes them.
    words: p.string().columnType('tsvector'),
  },
  indexes: [
    // In the order of the list, with all that it is filtered by: neither a page nor a count reads a row.
    { name: 'athlete_entries_index', properties: ['profileId', 'status', 'issuedYear', 'pendingYear'] },
    { name: 'athlete_entries_status_index', properties: ['status', 'profileId', 'issuedYear', 'pendingYear'] },
    {
      name: 'athlete_entries_pending_index',
      properties: ['pendingYear', 'profileId', 'status', 'issuedYear'],
      where: 'pending_year is not null',
    },
    { name: 'athlete_entries_words_index', properties: ['words'], type: 'gin' },
  ],
});
export type AthleteEntry = InferEntity<typeof AthleteEntryEntity>;
