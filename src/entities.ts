import type { InferKyselyDB } from '@mikro-orm/postgresql';
import {
  UserEntity,
  SessionEntity,
  ApiKeyEntity,
  CaptchaEntity,
  PasswordResetEntity,
  ContactMessageEntity,
  AttemptCountEntity,
  UserWordsEntity,
} from './accounts/entities.ts';
import { ProcessActionEntity } from './administration/process-entities.ts';
import { AthleteEntryEntity } from './administration/entities.ts';
import { ContractEntity, ContractTemplateEntity, ContractTemplateVersionEntity, FederationSigningEntity } from './agreements/entities.ts';
import {
  ApplicationEntity,
  ApplicationDocumentEntity,
  ApplicationHistoryEntity,
  CertificateEntity,
  NumberSeriesEntity,
} from './applications/entities.ts';
import { AuditEventEntity, SecurityEventEntity } from './audit/entities.ts';
import { ServiceEntity, DisciplineEntity, ServiceDisciplineEntity, BaseIndexEntity } from './catalog/entities.ts';
import { CalendarEntryEntity } from './competitions/calendar-entities.ts';
import {
  AdditionalDocumentEntity,
  EventEntity,
  EventStageEntity,
  ParticipantEntity,
  RegistrationSettingsEntity,
} from './competitions/entities.ts';
import { DocumentEntity } from './documents/entities.ts';
import { StoredFileEntity } from './files/entities.ts';
import { ConversationEntity, MessageEntity } from './messages/entities.ts';
import {
  NationalCertificateEntity,
  NationalExportEntity,
  NationalExportPartEntity,
  NationalExportRecordEntity,
  NationalListEntryEntity,
} from './national/entities.ts';
import {
  DeliveryEntity,
  DeliveryHoldEntity,
  DeliveryPauseEntity,
  NotificationDeliveryEntity,
  NotificationEntity,
  NotificationPreferenceEntity,
  StreamEntity,
  StreamEventEntity,
} from './notifications/entities.ts';
import { BotLinkEntity, BotUpdateEntity } from './messaging-bot/entities.ts';
import { OwnershipTransferEntity } from './ownership/entities.ts';
import {
  ProcessedCommandEntity,
  IdempotentRequestEntity,
  SandboxClockEntity,
  SandboxClockMoveEntity,
  PrivateInputEntity,
  OutboxEntity,
  CursorEntity,
  ProcessTroubleEntity,
} from './platform/database/entities.ts';
import { TallyChangeEntity, TallyEntity } from './platform/database/tally-entities.ts';
import { ProfileEntity, ArchivedVehicleEntity } from './profiles/entities.ts';
import {
  RegistrationCrewEntity,
  RegistrationDocumentEntity,
  RegistrationEntity,
  RegistrationHistoryEntity,
  RegistrationLicenceEntity,
} from './registrations/entities.ts';
import { ReviewDecisionEntity, ReviewStandingEntity, IncidentEntity } from './reviews/entities.ts';
import { WalletEntity, LedgerTransactionEntity, LedgerEntryEntity, InvoiceEntity, BankAnswerEntity } from './wallet/entities.ts';

/** Every table of the registry, named one by one: nothing is found by scanning folders. */
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
  DeliveryEntity,
  DeliveryHoldEntity,
  DeliveryPauseEntity,
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
  NationalExportPartEntity,
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
  /** By the same entities: columns by the names of the properties. */
  interface Tables extends TablesOfEntities {}
}
