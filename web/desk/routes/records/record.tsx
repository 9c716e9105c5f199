import type { ComponentType } from 'react';
import type { components } from '../../../../client/src/index.ts';
import { useLanguage } from '../../shared/language.tsx';
import { Empty } from '../../shared/page.tsx';
import { ApplicationRecord } from './application.tsx';
import { AdditionalDocumentRecord, EventRecord, RegistrationRecord } from './competition.tsx';
import { ContractRecord } from './contract.tsx';
import { DocumentRecord, ProfileRecord } from './profile.tsx';
import { ContactMessageRecord, IncidentRecord, InvoiceRecord } from './settlement.tsx';

export type QueueItem = components['schemas']['QueueItem'];

export interface RecordProps {
  id: number;
  /** The place in the queue that opened the record: with its stage, part or event. */
  item?: QueueItem;
  /** Opens the next record of the queue. */
  onDecided?: () => void;
}

/** What can be opened, by the kinds of the queue and of the search. */
const kinds: Readonly<Record<string, ComponentType<RecordProps>>> = {
  additional_document: AdditionalDocumentRecord,
  application: ApplicationRecord,
  contact_message: ContactMessageRecord,
  contract: ContractRecord,
  contract_ended: ContractRecord,
  document: DocumentRecord,
  event: EventRecord,
  event_stage: EventRecord,
  incident: IncidentRecord,
  invoice: InvoiceRecord,
  photo: ProfileRecord,
  profile: ProfileRecord,
  registration: RegistrationRecord,
};

/** A record with its decision, on its page and in the queue. */
export function RecordView({ kind, ...props }: RecordProps & { kind: string }) {
  const { words } = useLanguage();
  const Kind = kinds[kind];
  return Kind === undefined ? <Empty>{words.problems.codes.not_found}</Empty> : <Kind {...props} />;
}
