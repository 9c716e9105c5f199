import { Migration } from '@mikro-orm/migrations';

/**
 * Stores who created an agreement and from which address an export was requested. Existing rows get both from their audit; an agreement
 * without an audited creator keeps null. The trigger is off, so that `updated_at`, the version of an agreement, does not change.
 */
export class Migration20261125000000_requesters extends Migration {
  override name = 'Migration20261125000000_requesters';

  override async up(): Promise<void> {
    this.addSql(`
alter table contracts add column creator jsonb;
alter table contracts disable trigger contracts_updated_at;
update contracts c set creator = jsonb_build_object(
  'userId', a.actor_id, 'impersonatedUserId', a.impersonated_user_id, 'ip', a.ip, 'requestId', a.request_id)
from (
  select distinct on (subject_id) * from audit_events
  where subject_kind = 'contract' and action = 'contract.created' order by subject_id, at, id
) a
where a.subject_id = c.id::text and a.actor_id is not null;
alter table contracts enable trigger contracts_updated_at;

alter table national_exports add column request_ip varchar(64);
update national_exports e set request_ip = a.ip from audit_events a
where a.subject_kind = 'national_export' and a.action = 'national.export_requested' and a.subject_id = e.id::text;`);
  }
}
