import type { Language } from '../../http/language.ts';
import { after, defineNotifications, type Facts, noteOf, words } from '../notifications/index.ts';
import type { AthleteData, OrganizerData } from './profile-data.ts';

/** Fields of a profile and of a document that an administrator can correct. */
type Field = keyof AthleteData | keyof OrganizerData | 'type' | 'number' | 'country' | 'issued_at' | 'expires_at';

/** Names of the fields within a sentence. */
const fieldTitles: Readonly<Record<Language, Readonly<Record<Field, string>>>> = {
  ru: {
    last_name: 'фамилия',
    first_name: 'имя',
    middle_name: 'отчество',
    birth_date: 'дата рождения',
    gender: 'пол',
    citizenship: 'гражданство',
    iin: 'ИИН',
    phone: 'телефон',
    city: 'город',
    address: 'адрес',
    blood_group: 'группа крови',
    organization_name: 'название организации',
    bin: 'БИН',
    director_name: 'имя руководителя',
    director_position: 'должность руководителя',
    legal_address: 'юридический адрес',
    email: 'электронная почта',
    type: 'вид документа',
    number: 'номер',
    country: 'страна',
    issued_at: 'дата выдачи',
    expires_at: 'срок действия',
  },
  kk: {
    last_name: 'тегі',
    first_name: 'аты',
    middle_name: 'әкесінің аты',
    birth_date: 'туған күні',
    gender: 'жынысы',
    citizenship: 'азаматтығы',
    iin: 'ЖСН',
    phone: 'телефоны',
    city: 'қаласы',
    address: 'мекенжайы',
    blood_group: 'қан тобы',
    organization_name: 'ұйымның атауы',
    bin: 'БСН',
    director_name: 'басшысының аты-жөні',
    director_position: 'басшысының лауазымы',
    legal_address: 'заңды мекенжайы',
    email: 'электрондық поштасы',
    type: 'құжаттың түрі',
    number: 'нөмірі',
    country: 'елі',
    issued_at: 'берілген күні',
    expires_at: 'қолданылу мерзімі',
  },
  en: {
    last_name: 'last name',
    first_name: 'first name',
    middle_name: 'middle name',
    birth_date: 'date of birth',
    gender: 'gender',
    citizenship: 'citizenship',
    iin: 'IIN',
    phone: 'telephone',
    city: 'city',
    address: 'address',
    blood_group: 'blood group',
    organization_name: 'name of the organization',
    bin: 'BIN',
    director_name: "director's name",
    director_position: "director's position",
    legal_address: 'legal address',
    email: 'e-mail',
    type: 'type',
    number: 'number',
    country: 'country',
    issued_at: 'date of issue',
    expires_at: 'expiry',
  },
};

/**
 * Notifies the owner of a profile (PRO-7) or a document (DOC-6) that an administrator corrected it. `record`: `profile` or
 * `document`; `fields`: wire names of the changed fields.
 */
export const recordNotifications = defineNotifications({
  'record.corrected': {
    en: (facts, id) =>
      words(
        'Record corrected',
        `The federation has corrected your ${facts.titles('record', records) ?? 'record'} ${id}${after(': ', facts.titles('fields', fieldTitles))}.`,
        'If this is wrong, contact the federation.',
      ),
    ru: (facts, id) =>
      words(
        'Запись исправлена',
        `Федерация исправила ${facts.titles('record', records) ?? 'Вашу запись'} № ${id}${after(': ', facts.titles('fields', fieldTitles))}.`,
        'Если это неверно, напишите в федерацию.',
      ),
    kk: (facts, id) =>
      words(
        'Жазба түзетілді',
        `Федерация Сіздің № ${id} ${facts.titles('record', records) ?? 'жазбаңызды'} түзетті${after(': ', facts.titles('fields', fieldTitles))}.`,
        'Егер бұл дұрыс болмаса, федерацияға жазыңыз.',
      ),
  },
});

/** Names the record in the grammatical case that the sentence needs. */
const records = {
  en: { profile: 'profile', document: 'document' },
  ru: { profile: 'Ваш профиль', document: 'Ваш документ' },
  kk: { profile: 'профиліңізді', document: 'құжатыңызды' },
};

/** Notifications about a profile and its photo. `data`: `refused` when the data is refused, so that nothing can be submitted (PRO-2). */
export const profileNotifications = defineNotifications({
  'profile.approved': {
    en: (_, id) => words('Profile approved', `The data of your profile ${id} has been checked and approved.`),
    ru: (_, id) => words('Профиль утверждён', `Данные Вашего профиля № ${id} проверены и утверждены.`),
    kk: (_, id) => words('Профиль бекітілді', `Сіздің № ${id} профиліңіздің деректері тексеріліп, бекітілді.`),
  },
  'profile.changes': {
    en: (facts, id) =>
      words('Profile returned for correction', `Correct the data of your profile ${id} and submit it again.`, noteOf(facts)),
    ru: (facts, id) =>
      words('Профиль возвращён на исправление', `Исправьте данные Вашего профиля № ${id} и подайте его снова.`, noteOf(facts)),
    kk: (facts, id) =>
      words('Профиль түзетуге қайтарылды', `Сіздің № ${id} профиліңіздің деректерін түзетіп, қайта жіберіңіз.`, noteOf(facts)),
  },
  'profile.cancelled': {
    en: (facts, id) => words('Profile refused', `The data of your profile ${id} has been refused.`, noteOf(facts)),
    ru: (facts, id) => words('Профиль не принят', `Данные Вашего профиля № ${id} не приняты.`, noteOf(facts)),
    kk: (facts, id) => words('Профиль қабылданбады', `Сіздің № ${id} профиліңіздің деректері қабылданбады.`, noteOf(facts)),
  },
  'photo.approved': {
    en: (_, id) => words('Photo approved', `The photo of your profile ${id} has been checked and approved.`),
    ru: (_, id) => words('Фото утверждено', `Фото Вашего профиля № ${id} проверено и утверждено.`),
    kk: (_, id) => words('Фотосурет бекітілді', `Сіздің № ${id} профиліңіздің фотосуреті тексеріліп, бекітілді.`),
  },
  'photo.changes': {
    en: (facts, id) =>
      words(
        'Photo returned for correction',
        `Replace the photo of your profile ${id}${isRefused(facts) ? '' : ' and submit it again'}.`,
        noteOf(facts),
      ),
    ru: (facts, id) =>
      words(
        'Фото возвращено на исправление',
        `Замените фото Вашего профиля № ${id}${isRefused(facts) ? '' : ' и подайте его снова'}.`,
        noteOf(facts),
      ),
    kk: (facts, id) =>
      words(
        'Фотосурет түзетуге қайтарылды',
        `Сіздің № ${id} профиліңіздің фотосуретін ${isRefused(facts) ? 'ауыстырыңыз' : 'ауыстырып, қайта жіберіңіз'}.`,
        noteOf(facts),
      ),
  },
  'photo.cancelled': {
    en: (facts, id) => words('Photo refused', `The photo of your profile ${id} has been refused.`, noteOf(facts)),
    ru: (facts, id) => words('Фото не принято', `Фото Вашего профиля № ${id} не принято.`, noteOf(facts)),
    kk: (facts, id) => words('Фотосурет қабылданбады', `Сіздің № ${id} профиліңіздің фотосуреті қабылданбады.`, noteOf(facts)),
  },
});

function isRefused(facts: Facts): boolean {
  return facts.text('data') === 'refused';
}
