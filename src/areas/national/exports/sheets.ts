import { formatDay } from '../../../platform/time/date-time.ts';
import type { SheetColumn } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import type { CertificateSnapshot, HolderNames } from '../../applications/index.ts';
import type { ExportList } from '../lists/fitness.ts';

/** A certificate as it was issued; only the IIN is the current one of the profile (NAT-8). */
export interface ExportedCertificate {
  number: string;
  /** `YYYY-MM-DD`, both included. */
  validFrom: string;
  validUntil: string;
  snapshot: CertificateSnapshot;
  iin: string | null;
}

interface ExportColumn extends SheetColumn {
  valueOf(certificate: ExportedCertificate): string | null;
}

const number: ExportColumn = { title: 'Номер', width: 20, holds: 'text', valueOf: (certificate) => certificate.number };
const names: ExportColumn[] = [
  { title: 'Фамилия', width: 24, holds: 'text', valueOf: ({ snapshot }) => namesOf(snapshot).last },
  { title: 'Имя', width: 20, holds: 'text', valueOf: ({ snapshot }) => namesOf(snapshot).first },
  { title: 'Отчество', width: 22, holds: 'text', valueOf: ({ snapshot }) => namesOf(snapshot).middle },
];
const birthDate: ExportColumn = { title: 'Дата рождения', width: 14, holds: 'day', valueOf: ({ snapshot }) => snapshot.birthDate };
const category: ExportColumn = { title: 'Категория', width: 12, holds: 'text', valueOf: ({ snapshot }) => snapshot.serviceCategory };
const validity: ExportColumn = {
  title: 'Срок действия',
  width: 26,
  holds: 'text',
  valueOf: ({ validFrom, validUntil }) => `${formatDay(validFrom)} – ${formatDay(validUntil)}`,
};

/** The ten columns that the insurer and the printer each require. */
export const exportColumns: Record<ExportList, readonly ExportColumn[]> = {
  insurance: [
    number,
    ...names,
    birthDate,
    { title: 'ИИН', width: 16, holds: 'text', valueOf: ({ iin }) => iin },
    category,
    { title: 'Территория', width: 12, holds: 'text', valueOf: ({ snapshot }) => snapshot.insuranceTerritory },
    { title: 'Страховая сумма, тенге', width: 24, holds: 'money', valueOf: ({ snapshot }) => tenge(snapshot.insuranceCoverageMinor) },
    validity,
  ],
  print: [
    number,
    ...names,
    birthDate,
    category,
    { title: 'Дисциплина', width: 28, holds: 'text', valueOf: ({ snapshot }) => snapshot.disciplineTitle?.ru ?? null },
    validity,
    { title: 'Фото', width: 32, holds: 'text', valueOf: (certificate) => photoName(certificate.number) },
    { title: 'QR', width: 30, holds: 'text', valueOf: (certificate) => qrName(certificate.number) },
  ],
};

export const sheetTitles: Record<ExportList, string> = { insurance: 'Страхование', print: 'Печать' };

export function photoName(of: string): string {
  return `foto/${of}.jpg`;
}

export function qrName(of: string): string {
  return `qr/${of}.png`;
}

/** Names as issued (NAT-8). Old snapshots hold only the full name, which starts with the last name. */
export function namesOf({ holderName, holderNames }: Pick<CertificateSnapshot, 'holderName' | 'holderNames'>): HolderNames {
  if (holderNames) return holderNames;
  const [last = '', first = null, ...others] = holderName.split(' ');
  return { last, first, middle: others.length === 0 ? null : others.join(' ') };
}

function tenge(minor: number | null): string | null {
  return minor === null ? null : (minor / 100).toFixed(2);
}
