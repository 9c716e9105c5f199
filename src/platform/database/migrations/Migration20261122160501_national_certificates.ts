import { Migration } from '@mikro-orm/migrations';

/**
 * What the list of national certificates finds applications by (`NationalCertificateEntity`), kept by the database itself. The triggers
 * name no columns: one that they named could not change its type beside them. They see all rows of a statement at once, so that a set of
 * rows costs little more than one. Words are searched by their beginnings, as in the migration `calendar_entries`, whose functions fold
 * them.
 */
export class Migration20261122160501_national_certificates extends Migration {
  override name = 'Migration20261122160501_national_certificates';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "national_certificates" ("application_id" int not null, "year" int not null, "service_id" int not null, "status" varchar(20) not null, "paid" boolean not null, "insurance_exported" boolean not null default false, "print_exported" boolean not null default false, "words" tsvector not null, primary key ("application_id"));`,
    );
    this.addSql(
      `create index "national_certificates_group_index" on "national_certificates" ("year", "service_id", "status", "paid", "insurance_exported", "print_exported", "application_id");`,
    );
    this.addSql(`create index "national_certificates_year_index" on "national_certificates" ("year", "application_id");`);
    // Years, statuses and marks go together: counted one by one, the certificates approved in a past year would seem to be many.
    this.addSql(
      `create statistics "national_certificates_groups" (mcv) on "year", "service_id", "status", "paid", "insurance_exported", "print_exported" from "national_certificates"`,
    );
    // Names change seldom and are searched often: nothing waits beside the index to be read by every search.
    this.addSql(`create index "national_certificates_words_index" on "national_certificates" using gin ("words") with (fastupdate = off);`);
    this.addSql(
      `alter table "national_certificates" add constraint "national_certificates_application_fk" foreign key ("application_id") references "applications" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(`
      create function national_words(id int) returns tsvector language sql stable parallel safe as $$
        select array_to_tsvector(calendar_words(concat_ws(' ', p.name, c.snapshot->>'holderName')))
        from applications a join profiles p on p.id = a.profile_id left join certificates c on c.application_id = a.id
        where a.id = national_words.id
      $$`);
    this.keepWithApplications();
    this.keepWords();
    this.keepMarks();
    this.addSql(`
      insert into national_certificates (application_id, year, service_id, status, paid, words)
      select a.id, a.year, a.service_id, a.status, a.paid and a.refund_transaction_id is null, national_words(a.id)
      from applications a where a.kind = 'national_certificate'`);
    this.addSql('grant insert, update on "national_certificates" to registry_application');
  }

  private keepWithApplications(): void {
    this.addSql(`
      create function add_national_certificates() returns trigger language plpgsql as $$
      begin
        insert into national_certificates (application_id, year, service_id, status, paid, words)
        select a.id, a.year, a.service_id, a.status, a.paid and a.refund_transaction_id is null, national_words(a.id)
        from added a where a.kind = 'national_certificate';
        return null;
      end $$`);
    this.addSql(`
      create trigger applications_national_certificates_added after insert on "applications"
      referencing new table as added for each statement execute function add_national_certificates()`);
    this.addSql(`
      create function keep_national_certificates() returns trigger language plpgsql as $$
      begin
        update national_certificates n
        set year = a.year, service_id = a.service_id, status = a.status, paid = a.paid and a.refund_transaction_id is null
        from changed a where n.application_id = a.id and a.kind = 'national_certificate'
          and (n.year, n.service_id, n.status, n.paid)
            is distinct from (a.year, a.service_id, a.status, a.paid and a.refund_transaction_id is null);
        return null;
      end $$`);
    this.addSql(`
      create trigger applications_national_certificates_changed after update on "applications"
      referencing new table as changed for each statement execute function keep_national_certificates()`);
  }

  private keepWords(): void {
    this.addSql(`
      create function keep_printed_names() returns trigger language plpgsql as $$
      begin
        update national_certificates n set words = c.words
        from (select application_id, national_words(application_id) as words from added) c
        where n.application_id = c.application_id and n.words is distinct from c.words;
        return null;
      end $$`);
    this.addSql(`
      create trigger certificates_national_certificates after insert on "certificates"
      referencing new table as added for each statement execute function keep_printed_names()`);
    this.addSql(`
      create function keep_names_of_national_certificates() returns trigger language plpgsql as $$
      begin
        if old.name is distinct from new.name then
          update national_certificates n set words = national_words(n.application_id)
          from applications a where a.profile_id = new.id and n.application_id = a.id;
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger profiles_national_certificates after update on "profiles"
      for each row execute function keep_names_of_national_certificates()`);
  }

  private keepMarks(): void {
    this.addSql(`
      create function keep_export_marks() returns trigger language plpgsql as $$
      begin
        update national_certificates n
        set insurance_exported = n.insurance_exported or m.insurance, print_exported = n.print_exported or m.print
        from (
          select application_id, bool_or(list = 'insurance') as insurance, bool_or(list = 'print') as print
          from marked where exported_at is not null group by application_id
        ) m
        where n.application_id = m.application_id;
        return null;
      end $$`);
    for (const change of ['insert', 'update'])
      this.addSql(`
        create trigger national_export_records_${change} after ${change} on "national_export_records"
        referencing new table as marked for each statement execute function keep_export_marks()`);
  }

  override down(): void | Promise<void> {
    for (const change of ['update', 'insert']) this.addSql(`drop trigger national_export_records_${change} on "national_export_records"`);
    this.addSql('drop function keep_export_marks()');
    this.addSql('drop trigger profiles_national_certificates on "profiles"');
    this.addSql('drop function keep_names_of_national_certificates()');
    this.addSql('drop trigger certificates_national_certificates on "certificates"');
    this.addSql('drop function keep_printed_names()');
    this.addSql('drop trigger applications_national_certificates_changed on "applications"');
    this.addSql('drop function keep_national_certificates()');
    this.addSql('drop trigger applications_national_certificates_added on "applications"');
    this.addSql('drop function add_national_certificates()');
    this.addSql('drop function national_words(int)');
    this.addSql(`drop table if exists "national_certificates" cascade;`);
  }
}
