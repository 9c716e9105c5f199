import { EntitySchema, type InferKyselyDB } from '@mikro-orm/postgresql';
import * as accounts from '../areas/accounts/entities.ts';
import * as administration from '../areas/administration/entities.ts';
import * as agreements from '../areas/agreements/entities.ts';
import * as applications from '../areas/applications/entities.ts';
import * as audit from '../areas/audit/entities.ts';
import * as catalog from '../areas/catalog/entities.ts';
import * as changes from '../areas/changes/entities.ts';
import * as competitions from '../areas/competitions/entities.ts';
import * as credentials from '../areas/credentials/entities.ts';
import * as documents from '../areas/documents/entities.ts';
import * as files from '../areas/files/entities.ts';
import * as imports from '../areas/imports/entities.ts';
import * as messages from '../areas/messages/entities.ts';
import * as messagingBot from '../areas/messaging-bot/entities.ts';
import * as national from '../areas/national/entities.ts';
import * as notifications from '../areas/notifications/entities.ts';
import * as ownership from '../areas/ownership/entities.ts';
import * as privacy from '../areas/privacy/entities.ts';
import * as profiles from '../areas/profiles/entities.ts';
import * as registrations from '../areas/registrations/entities.ts';
import * as reviews from '../areas/reviews/entities.ts';
import * as wallet from '../areas/wallet/entities.ts';
import * as webhooks from '../areas/webhooks/entities.ts';
import * as platform from '../platform/database/entities.ts';

const parts = [
  accounts,
  administration,
  agreements,
  applications,
  audit,
  catalog,
  changes,
  competitions,
  credentials,
  documents,
  files,
  imports,
  messages,
  messagingBot,
  national,
  notifications,
  ownership,
  privacy,
  profiles,
  registrations,
  reviews,
  wallet,
  webhooks,
  platform,
] as const;

type EntityOf<Part> = Part extends unknown ? Extract<Part[keyof Part], { readonly '~entity': unknown }> : never;
type Entity = EntityOf<(typeof parts)[number]>;

/** Every table of the registry: the entities that the areas and the platform export. */
export const entities: Entity[] = parts.flatMap((part) => Object.values(part).filter((value) => value instanceof EntitySchema) as Entity[]);

type TablesOfEntities = InferKyselyDB<Entity, { columnNamingStrategy: 'property' }>;

declare module '../platform/database/database.ts' {
  /** From the same entities: columns by property name. */
  interface Tables extends TablesOfEntities {}
}
