import type { InferKyselyDB } from '@mikro-orm/postgresql';
import {
  ApiKeyEntity,
  AttemptCountEntity,
  CaptchaEntity,
  ContactMessageEntity,
  PasswordResetEntity,
  SessionEntity,
  UserEntity,
  UserWordsEntity,
} from './areas/accounts/entities.ts';
import { AthleteEntryEntity } from './areas/administration/athletes/entities.ts';
import { ProcessActionEntity } from './areas/administration/processes/entities.ts';
import {
  ContractEntity,
  ContractTemplateEntity,
  ContractTemplateVersionEntity,
  FederationSigningEntity,
} from './areas/agreements/entities.ts';
import {
  ApplicationDocumentEntity,
  ApplicationEntity,
  ApplicationHistoryEntity,
  CertificateEntity,
  NumberSeriesEntity,
} from './areas/applications/entities.ts';
import { AuditEventEntity, SecurityEventEntity } from './areas/audit/entities.ts';
import { BaseIndexEntity, DisciplineEntity, ServiceDisciplineEntity, ServiceEntity } from './areas/catalog/entities.ts';
import {
  AdditionalDocumentEntity,
  CalendarEntryEntity,
  EventEntity,
  EventStageEntity,
  ParticipantEntity,
  RegistrationSettingsEntity,
} from './areas/competitions/entities.ts';
import { DocumentEntity } from './areas/documents/entities.ts';
import { StoredFileEntity } from './areas/files/entities.ts';
import { ConversationEntity, MessageEntity } from './areas/messages/entities.ts';
import { BotLinkEntity, BotUpdateEntity } from './areas/messaging-bot/entities.ts';
import {
  NationalCertificateEntity,
  NationalExportEntity,
  NationalExportRecordEntity,
  NationalListEntryEntity,
} from './areas/national/entities.ts';
import {
  NotificationDeliveryEntity,
  NotificationEntity,
  NotificationPreferenceEntity,
  StreamEntity,
  StreamEventEntity,
} from './areas/notifications/entities.ts';
import { OwnershipTransferEntity } from './areas/ownership/entities.ts';
import { ArchivedVehicleEntity, ProfileEntity } from './areas/profiles/entities.ts';
import {
  RegistrationCrewEntity,
  RegistrationDocumentEntity,
  RegistrationEntity,
  RegistrationHistoryEntity,
  RegistrationLicenceEntity,
} from './areas/registrations/entities.ts';
import { IncidentEntity, ReviewDecisionEntity, ReviewStandingEntity } from './areas/reviews/entities.ts';
import { BankAnswerEntity, InvoiceEntity, LedgerEntryEntity, LedgerTransactionEntity, WalletEntity } from './areas/wallet/entities.ts';
import {
  CursorEntity,
  IdempotentRequestEntity,
  OutboxEntity,
  PrivateInputEntity,
  ProcessedCommandEntity,
  ProcessTroubleEntity,
  SandboxClockEntity,
  SandboxClockMoveEntity,
} from './platform/database/entities.ts';
import { TallyChangeEntity, TallyEntity } from './platform/database/tally-entities.ts';

/** Every table of the registry, listed explicitly instead of a folder scan. */
export const entities = [
  UserEntity,
  SessionEntity,
  ApiKeyEntity,
  CaptchaEntity,
  PasswordResetEntity,
  ContactMessageEntity,
  AttemptCountEntity,
  UserWordsEntity,
  ApplicationEntity,
  ApplicationDocumentEntity,
  ApplicationHistoryEntity,
  CertificateEntity,
  NumberSeriesEntity,
  AuditEventEntity,
  SecurityEventEntity,
  ServiceEntity,
  DisciplineEntity,
  ServiceDisciplineEntity,
  BaseIndexEntity,
  DocumentEntity,
  StoredFileEntity,
  NotificationEntity,
  NotificationPreferenceEntity,
  NotificationDeliveryEntity,
  StreamEntity,
  StreamEventEntity,
  ProcessedCommandEntity,
  IdempotentRequestEntity,
  SandboxClockEntity,
  SandboxClockMoveEntity,
  PrivateInputEntity,
  OutboxEntity,
  CursorEntity,
  ProfileEntity,
  ArchivedVehicleEntity,
  ReviewDecisionEntity,
  ReviewStandingEntity,
  IncidentEntity,
  WalletEntity,
  LedgerTransactionEntity,
  LedgerEntryEntity,
  InvoiceEntity,
  BankAnswerEntity,
  EventEntity,
  EventStageEntity,
  RegistrationSettingsEntity,
  AdditionalDocumentEntity,
  ParticipantEntity,
  CalendarEntryEntity,
  RegistrationEntity,
  RegistrationLicenceEntity,
  RegistrationDocumentEntity,
  RegistrationCrewEntity,
  RegistrationHistoryEntity,
  ConversationEntity,
  MessageEntity,
  FederationSigningEntity,
  ContractTemplateEntity,
  ContractTemplateVersionEntity,
  ContractEntity,
  NationalListEntryEntity,
  NationalExportEntity,
  NationalExportRecordEntity,
  NationalCertificateEntity,
  ProcessTroubleEntity,
  ProcessActionEntity,
  TallyEntity,
  TallyChangeEntity,
  OwnershipTransferEntity,
  AthleteEntryEntity,
  BotLinkEntity,
  BotUpdateEntity,
];

type TablesOfEntities = InferKyselyDB<(typeof entities)[number], { columnNamingStrategy: 'property' }>;

declare module './platform/database/database.ts' {
  /** From the same entities: columns by property name. */
  interface Tables extends TablesOfEntities {}
}
