import { Migration } from '@mikro-orm/migrations';

const appendOnly = ['application_history', 'review_standings'];

/**
 * The history of applications and of what stands behind them. The database itself keeps how documents, profiles and photos stood
 * (`ReviewStandingEntity`), so that no command and no correction by hand leaves a gap. What happened before is filled in from the audit
 * and the decisions; last days of documents and photos that were exchanged since are not recorded anywhere and are taken as they are now.
 */
export class Migration20261122063911_application_history extends Migration {
  override name = 'Migration20261122063911_application_history';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "application_history" ("id" bigserial primary key, "application_id" int not null, "at" timestamptz not null, "step" varchar(40) not null, "actor" varchar(20) not null, "actor_id" int null, "impersonated_user_id" int null, "request_id" varchar(64) not null, "revision" int not null, "status" varchar(20) not null, "is_settled" boolean not null, "is_resubmission_due" boolean not null, "document_ids" int[] not null, "amount_minor" bigint null);`,
    );
    this.addSql(`create index "application_history_application_index" on "application_history" ("application_id", "id");`);

    this.addSql(
      `create table "review_standings" ("id" bigserial primary key, "subject_kind" varchar(20) not null, "subject_id" int not null, "at" timestamptz not null, "status" varchar(20) not null, "has_note" boolean not null, "expires_at" date null, "is_present" boolean not null);`,
    );
    this.addSql(`create index "review_standings_subject_index" on "review_standings" ("subject_kind", "subject_id", "id");`);

    this.addSql(`alter table "receipts" add "words_fingerprint" varchar(100) null;`);

    this.keepStandings();
    this.fillStandings();
    this.fillHistory();
    this.holdHistoryComplete();
    for (const table of appendOnly) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete or truncate on "${table}"
        for each statement execute function refuse_change_of_append_only_row()`);
      this.addSql(`revoke all on "${table}" from registry_application`);
      this.addSql(`grant select, insert on "${table}" to registry_application`);
      this.addSql(`grant usage, select on sequence "${table}_id_seq" to registry_application`);
    }
  }

  /** A row for each row that is made, and for each change of what verification asks about. */
  private keepStandings(): void {
    this.addSql(`
      create function keep_document_standing() returns trigger language plpgsql as $$
      begin
        insert into review_standings (subject_kind, subject_id, at, status, has_note, expires_at, is_present)
        values ('document', new.id, new.updated_at, new.status, new.review_note is not null, new.expires_at, true);
        return null;
      end $$`);
    this.addSql(`
      create function keep_profile_standing() returns trigger language plpgsql as $$
      begin
        insert into review_standings (subject_kind, subject_id, at, status, has_note, is_present)
        values ('profile', new.id, new.updated_at, new.status, new.review_note is not null, true);
        return null;
      end $$`);
    this.addSql(`
      create function keep_photo_standing() returns trigger language plpgsql as $$
      begin
        insert into review_standings (subject_kind, subject_id, at, status, has_note, is_present)
        values ('photo', new.id, new.updated_at, new.photo_status, new.photo_review_note is not null, new.photo_id is not null);
        return null;
      end $$`);
    const kept = [
      { part: 'document', table: 'documents', of: ['status', 'review_note is not null', 'expires_at'] },
      { part: 'profile', table: 'profiles', of: ['status', 'review_note is not null'] },
      { part: 'photo', table: 'profiles', of: ['photo_status', 'photo_review_note is not null', 'photo_id is not null'] },
    ];
    for (const { part, table, of } of kept) {
      const rowOf = (row: string) => `(${of.map((column) => `${row}.${column}`).join(', ')})`;
      this.addSql(`create trigger ${part}_standing_made after insert on "${table}" for each row execute function keep_${part}_standing()`);
      this.addSql(`
        create trigger ${part}_standing_changed after update on "${table}" for each row
        when (${rowOf('old')} is distinct from ${rowOf('new')}) execute function keep_${part}_standing()`);
    }
  }

  /**
   * What changes an application without a row of its history (a process of the release before, while this one comes up; a correction by
   * hand) is told as it stands at the end of the transaction. A command has written its row by then, and this finds nothing to do.
   */
  private holdHistoryComplete(): void {
    this.addSql(`
      create function keep_application_history() returns trigger language plpgsql as $$
      declare
        a applications;
        last application_history;
      begin
        select * into a from applications where id = new.id;
        if not found then return null; end if;
        select * into last from application_history h where h.application_id = a.id order by h.id desc limit 1;
        if (last.revision, last.status, last.is_settled, last.is_resubmission_due)
          is distinct from (a.revision, a.status, a.paid or a.amount_minor = 0, a.resubmission_due_since is not null)
        then
          insert into application_history (application_id, at, step, actor, request_id, revision, status, is_settled, is_resubmission_due, document_ids)
          values (a.id, a.updated_at, 'carried_over', 'registry', 'unrecorded', a.revision, a.status, a.paid or a.amount_minor = 0,
            a.resubmission_due_since is not null,
            array(select l.document_id from application_documents l where l.application_id = a.id order by l.document_id));
        end if;
        return null;
      end $$`);
    const trigger = (when: string, condition: string) => `
      create constraint trigger application_history_complete_${when} after ${when} on "applications"
      deferrable initially deferred for each row ${condition} execute function keep_application_history()`;
    this.addSql(trigger('insert', ''));
    this.addSql(
      trigger(
        'update',
        `when ((old.revision, old.status, old.paid, old.resubmission_due_since) is distinct from (new.revision, new.status, new.paid, new.resubmission_due_since))`,
      ),
    );
  }

  private fillStandings(): void {
    const firstStatus = (kind: string, id: string, usual: string) =>
      `coalesce((select r.from_status from review_decisions r where r.subject_kind = '${kind}' and r.subject_id = ${id} order by r.id limit 1), '${usual}')`;
    this.addSql(`
      insert into review_standings (subject_kind, subject_id, at, status, has_note, expires_at, is_present)
      select 'document', d.id, f.at, f.status, f.has_note, d.expires_at, true
      from documents d
      cross join lateral (
        select d.created_at as at, ${firstStatus('document', 'd.id', 'pending')} as status, false as has_note, 0 as turn
        union all
        select r.at, r.to_status, r.decision <> 'approve', 1 from review_decisions r where r.subject_kind = 'document' and r.subject_id = d.id
        union all
        select e.at, case e.action when 'document.updated' then 'pending' when 'document.expired' then 'expired' else 'changes' end, e.action <> 'document.updated', 1
        from audit_events e
        where e.subject_kind = 'document' and e.subject_id = d.id::text and e.action in ('document.updated', 'document.expired', 'document.file_deleted')
        union all
        select d.updated_at, d.status, d.review_note is not null, 2) f
      order by d.id, f.at, f.turn`);
    const parts = [
      { kind: 'profile', status: 'status', note: 'review_note', isPresent: 'true' },
      { kind: 'photo', status: 'photo_status', note: 'photo_review_note', isPresent: 'p.photo_id is not null' },
    ];
    for (const { kind, status, note, isPresent } of parts)
      this.addSql(`
        insert into review_standings (subject_kind, subject_id, at, status, has_note, is_present)
        select '${kind}', p.id, f.at, f.status, f.has_note, ${isPresent}
        from profiles p
        cross join lateral (
          select p.created_at as at, ${firstStatus(kind, 'p.id', 'draft')} as status, false as has_note, 0 as turn
          union all
          select r.at, r.to_status, r.decision <> 'approve', 1 from review_decisions r where r.subject_kind = '${kind}' and r.subject_id = p.id
          union all
          select e.at, e.data->>'${status}', coalesce(
            (select r.decision <> 'approve' from review_decisions r
             where r.subject_kind = '${kind}' and r.subject_id = p.id and r.at < e.at order by r.id desc limit 1), false), 1
          from audit_events e
          where e.subject_kind = 'profile' and e.subject_id = p.id::text and e.action in ('profile.updated', 'profile.submitted')
            and e.data->>'${status}' is not null
          union all
          select p.updated_at, p.${status}, p.${note} is not null, 2) f
        order by p.id, f.at, f.turn`);
  }

  /**
   * The steps that the audit tells, each with the state that it led to; behind them the application as it is, where that is another. An
   * approval without a decision of an administrator was the registry's, whoever's request it came with.
   */
  private fillHistory(): void {
    this.addSql(`
      do $$
      declare
        e record;
        application int := 0;
        status text; documents int[]; revision int; is_paid boolean; is_due boolean;
      begin
        for e in
          select a.id, a.owner_id, a.amount_minor as price, v.at, split_part(v.action, '.', 2) as step, v.actor_id, v.impersonated_user_id,
            v.request_id, v.data, exists (select from review_decisions r where r.subject_kind = 'application' and r.subject_id = a.id
              and r.request_id = v.request_id and r.at = v.at) as is_decided
          from audit_events v join applications a on a.id::text = v.subject_id
          where v.subject_kind = 'application' and v.action like 'application.%' and v.action <> 'application.certificate_made'
          order by a.id, v.id
        loop
          if e.id <> application then
            application := e.id; status := 'draft'; documents := '{}'; revision := 0; is_paid := false; is_due := false;
          end if;
          if e.step <> 'refunded' then revision := revision + 1; end if;
          if jsonb_typeof(e.data->'document_ids') = 'array' and e.step in ('created', 'updated') then
            documents := array(select document::int from jsonb_array_elements_text(e.data->'document_ids') document order by document::int);
          end if;
          is_paid := is_paid or e.step = 'paid';
          is_due := case when e.step = 'submitted' then false else is_due or coalesce((e.data->>'resubmission_due')::boolean, false) end;
          status := case
            when e.step = 'updated' and status = 'submitted' then 'changes'
            when e.step = 'submitted' and status <> 'approved' then 'submitted'
            when e.step in ('approved', 'cancelled', 'closed') then e.step
            when e.step in ('returned', 'lapsed') then 'changes'
            else status end;
          insert into application_history (application_id, at, step, actor, actor_id, impersonated_user_id, request_id, revision, status,
            is_settled, is_resubmission_due, document_ids, amount_minor)
          values (e.id, e.at, e.step,
            case
              when e.actor_id is null or e.step = 'approved' and not e.is_decided then 'registry'
              when coalesce(e.impersonated_user_id, e.actor_id) = e.owner_id then 'owner'
              else 'administrator' end,
            e.actor_id, e.impersonated_user_id, e.request_id, revision, status, is_paid or e.price = 0, is_due, documents,
            (e.data->>'amount_minor')::bigint);
        end loop;
      end $$`);
    this.addSql(`
      insert into application_history (application_id, at, step, actor, request_id, revision, status, is_settled, is_resubmission_due, document_ids)
      select a.id, a.updated_at, 'carried_over', 'registry', 'unrecorded', a.revision, a.status, a.paid or a.amount_minor = 0,
        a.resubmission_due_since is not null, d.ids
      from applications a
      cross join lateral (
        select coalesce(array_agg(l.document_id order by l.document_id), '{}') as ids from application_documents l where l.application_id = a.id) d
      left join lateral (select * from application_history h where h.application_id = a.id order by h.id desc limit 1) h on true
      where (h.revision, h.status, h.is_settled, h.is_resubmission_due, h.document_ids)
        is distinct from (a.revision, a.status, a.paid or a.amount_minor = 0, a.resubmission_due_since is not null, d.ids)
      order by a.id`);
  }

  override down(): void | Promise<void> {
    for (const [part, table] of [
      ['document', 'documents'],
      ['profile', 'profiles'],
      ['photo', 'profiles'],
    ]) {
      this.addSql(`drop trigger ${part}_standing_made on "${table}"`);
      this.addSql(`drop trigger ${part}_standing_changed on "${table}"`);
      this.addSql(`drop function keep_${part}_standing()`);
    }
    this.addSql('drop trigger application_history_complete_insert on "applications"');
    this.addSql('drop trigger application_history_complete_update on "applications"');
    this.addSql('drop function keep_application_history()');
    this.addSql(`drop table if exists "application_history" cascade;`);
    this.addSql(`drop table if exists "review_standings" cascade;`);
    this.addSql(`alter table "receipts" drop column "words_fingerprint";`);
  }
}
