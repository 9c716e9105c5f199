import { assertNever } from '../../../errors.ts';
import type { Language } from '../../../http/language.ts';
import type { SheetColumn } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import type { VehicleField } from '../../competitions/index.ts';
import type { RegistrationStatus } from '../states.ts';

/** Facts of a registration in the export. */
export interface ExportedRegistration {
  id: number;
  class: string;
  status: RegistrationStatus;
  startNumber: string | null;
  vehicle: Record<string, string>;
  name: string;
  /** `YYYY-MM-DD`. */
  birthDate: string | null;
  city: string | null;
  phone: string | null;
  team: string | null;
  /** Numbers of its certificates. */
  licenceNumbers: string[];
  /** Numbers of licences of another federation, from the snapshot (REG-10). */
  foreignNumbers: string[];
  crew: { role: string; name: string }[];
}

type CommonColumn = 'start_number' | 'name' | 'class' | 'status' | 'licence_number' | 'birth_date' | 'city' | 'phone' | 'team' | 'crew';

/** Column titles, and widths in characters. */
export const columnTitles: Record<CommonColumn, Record<Language, string> & { width: number }> = {
  start_number: { ru: 'Стартовый номер', kk: 'Старт нөмірі', en: 'Start number', width: 16 },
  name: { ru: 'Спортсмен', kk: 'Спортшы', en: 'Athlete', width: 36 },
  class: { ru: 'Класс', kk: 'Класс', en: 'Class', width: 20 },
  status: { ru: 'Статус', kk: 'Мәртебесі', en: 'Status', width: 14 },
  licence_number: { ru: 'Номер лицензии', kk: 'Лицензия нөмірі', en: 'Licence number', width: 24 },
  birth_date: { ru: 'Дата рождения', kk: 'Туған күні', en: 'Date of birth', width: 16 },
  city: { ru: 'Город', kk: 'Қала', en: 'City', width: 20 },
  phone: { ru: 'Телефон', kk: 'Телефон', en: 'Phone', width: 18 },
  team: { ru: 'Команда', kk: 'Команда', en: 'Team', width: 24 },
  crew: { ru: 'Экипаж', kk: 'Экипаж', en: 'Crew', width: 40 },
};

/** Names of the statuses. */
export const statusTitles: Record<RegistrationStatus, Record<Language, string>> = {
  draft: { ru: 'Черновик', kk: 'Жоба', en: 'Draft' },
  submitted: { ru: 'Подана', kk: 'Жіберілді', en: 'Submitted' },
  returned: { ru: 'Возвращена', kk: 'Қайтарылды', en: 'Returned' },
  rejected: { ru: 'Отклонена', kk: 'Қабылданбады', en: 'Rejected' },
  approved: { ru: 'Одобрена', kk: 'Мақұлданды', en: 'Approved' },
  waiting: { ru: 'В списке ожидания', kk: 'Күту тізімінде', en: 'Waiting' },
  offered: { ru: 'Предложено место', kk: 'Орын ұсынылды', en: 'Place offered' },
  withdrawn: { ru: 'Отозвана', kk: 'Кері алынды', en: 'Withdrawn' },
};

export interface ExportColumn extends SheetColumn {
  /** Returns the cell's value; null leaves the cell empty. */
  valueOf(registration: ExportedRegistration): string | null;
}

/**
 * Builds the sheet's columns in the organizer's order (REG-17). A vehicle field has the organizer's title; a column whose field no longer
 * exists is left out.
 */
export function exportColumns(chosen: readonly string[], vehicleFields: readonly VehicleField[], language: Language): ExportColumn[] {
  return chosen.flatMap((name): ExportColumn[] => {
    if (isCommon(name)) {
      const { width, [language]: title } = columnTitles[name];
      const holds = name === 'birth_date' ? 'day' : name === 'start_number' ? 'number' : 'text';
      return [{ title, width, holds, valueOf: (registration) => valueOf(name, registration, language) }];
    }
    const field = vehicleFields.find(({ code }) => `vehicle.${code}` === name);
    if (field === undefined) return [];
    return [{ title: field.title, width: 24, holds: 'text', valueOf: ({ vehicle }) => fieldOf(vehicle, field.code) }];
  });
}

/** Own properties only: a code may equal a name of `Object.prototype`. */
function fieldOf(vehicle: ExportedRegistration['vehicle'], code: string): string | null {
  return Object.hasOwn(vehicle, code) ? (vehicle[code] ?? null) : null;
}

function isCommon(name: string): name is CommonColumn {
  return Object.hasOwn(columnTitles, name);
}

function valueOf(column: CommonColumn, registration: ExportedRegistration, language: Language): string | null {
  switch (column) {
    case 'start_number':
      return registration.startNumber;
    case 'name':
      return registration.name;
    case 'class':
      return registration.class;
    case 'status':
      return statusTitles[registration.status][language];
    case 'licence_number':
      return listed([...registration.licenceNumbers, ...registration.foreignNumbers], ', ');
    case 'birth_date':
      return registration.birthDate;
    case 'city':
      return registration.city;
    case 'phone':
      return registration.phone;
    case 'team':
      return registration.team;
    case 'crew':
      return listed(
        registration.crew.map(({ role, name }) => `${role}: ${name}`),
        '; ',
      );
    default:
      return assertNever(column);
  }
}

function listed(parts: readonly string[], separator: string): string | null {
  return parts.length === 0 ? null : parts.join(separator);
}
