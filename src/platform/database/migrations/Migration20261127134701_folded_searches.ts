import { Migration } from '@mikro-orm/migrations';

/** One folding of texts for all searches, and the certificates by which people are found. */
export class Migration20261127134701_folded_searches extends Migration {
  override name = 'Migration20261127134701_folded_searches';

  override async up(): Promise<void> {
    this.addSql(`
-- A text as searches compare it: composed (NFC), small letters, Kazakh letters as the Russian ones that people type instead. Capital
-- letters are named, because lower() leaves Cyrillic ones in a cluster whose character type is C.
create function folded(phrase text) returns text language sql immutable strict parallel safe as $$
  select translate(lower(normalize(phrase, NFC)),
    'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁӘҒҚҢӨҰҮҺІёәғқңөұүһі',
    'абвгдежзийклмнопрстуфхцчшщъыьэюяеагкноуухиеагкноуухи')
$$;

create or replace function calendar_words(phrase text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct left(word, 60)), '{}')
  from regexp_split_to_table(
    folded(phrase), '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2116\\u3000]+'
  ) as word where word <> ''
$$;

-- Patterns for a list that is read whole: the first ten words of a phrase, which may lie inside words of the folded text. Without a word
-- there is a pattern that matches nothing.
create function search_patterns(phrase text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg('%' || regexp_replace(word, '([%_\\\\])', '\\\\\\1', 'g') || '%'), '{null}')
  from unnest((array_remove(regexp_split_to_array(folded(phrase), '[ ,\\u0009-\\u000d\\u00a0\\u2000-\\u200a\\u3000]+'), ''))[1:10]) as word
$$;

-- The profile and the account of a certificate. Uses certificates_number_unique.
create function certificate_holders(certificate_number text, out profile_id int, out owner_id int) returns setof record
language sql stable strict parallel safe rows 1 as $$
  select a.profile_id, a.owner_id from certificates c join applications a on a.id = c.application_id where c.number = certificate_number
$$;

-- The numbers of a profile's certificates. Uses applications_profile_index.
create function certificates_of(profile int) returns text language sql stable strict parallel safe as $$
  select string_agg(c.number, ' ') from applications a join certificates c on c.application_id = a.id where a.profile_id = profile
$$;
`);
  }

  override async down(): Promise<void> {
    this.addSql(`
create or replace function calendar_words(phrase text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct left(word, 60)), '{}')
  from regexp_split_to_table(
    translate(lower(normalize(phrase, NFC)), 'ёәғқңөұүһі', 'еагкноуухи'),
    '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2116\\u3000]+'
  ) as word where word <> ''
$$;
drop function certificates_of, certificate_holders, search_patterns, folded;
`);
  }
}
