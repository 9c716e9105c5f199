import type { Language } from '../../http/language.ts';

/** Kinds of profiles and types of documents, shared with the areas profiles and documents. */

export const profileKinds = ['athlete', 'organizer'] as const;
export type ProfileKind = (typeof profileKinds)[number];

export const documentTypes = [
  'identity',
  'passport',
  'driver',
  'medical',
  'consent',
  'organization',
  'insurance_policy',
  'naf_permission',
  'foreign_naf_license',
] as const;
export type DocumentType = (typeof documentTypes)[number];

/** Titles of the document types. */
export const documentTypeTitles: Readonly<Record<Language, Readonly<Record<DocumentType, string>>>> = {
  ru: {
    identity: 'Удостоверение личности',
    passport: 'Паспорт',
    driver: 'Водительское удостоверение',
    medical: 'Медицинская справка',
    consent: 'Согласие родителей',
    organization: 'Документ организации',
    insurance_policy: 'Страховой полис',
    naf_permission: 'Разрешение национальной федерации',
    foreign_naf_license: 'Лицензия другой национальной федерации',
  },
  kk: {
    identity: 'Жеке куәлік',
    passport: 'Паспорт',
    driver: 'Жүргізуші куәлігі',
    medical: 'Медициналық анықтама',
    consent: 'Ата-ананың келісімі',
    organization: 'Ұйымның құжаты',
    insurance_policy: 'Сақтандыру полисі',
    naf_permission: 'Ұлттық федерацияның рұқсаты',
    foreign_naf_license: 'Басқа ұлттық федерацияның лицензиясы',
  },
  en: {
    identity: 'Identity card',
    passport: 'Passport',
    driver: "Driver's licence",
    medical: 'Medical certificate',
    consent: "Parents' consent",
    organization: "Organization's document",
    insurance_policy: 'Insurance policy',
    naf_permission: 'Permission of the national federation',
    foreign_naf_license: 'Licence of another national federation',
  },
};

/**
 * A document that a service requires; any of `types` satisfies it (CAT-6).
 *
 * `onlyMinors`: required only of people under 18 on the day of the check.
 */
export interface RequiredDocument {
  code: 'identity_document' | DocumentType;
  types: DocumentType[];
  onlyMinors: boolean;
}
