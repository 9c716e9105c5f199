import type { DemoCalendar } from './calendar.ts';
import type { DemoClient } from './client.ts';
import { personName, type PersonName } from './people.ts';
import { type Paper, printScan } from './pictures.ts';

const birthDate = '1994-03-22';

const holder = ({ last, first, middle }: PersonName): [string, string] => ['Тегі, аты, әкесінің аты', `${last} ${first} ${middle}`];

/** `data` of an athlete's profile. */
export function athleteDataOf(name: PersonName) {
  return {
    last_name: name.last,
    first_name: name.first,
    middle_name: name.middle,
    birth_date: birthDate,
    gender: 'male',
    citizenship: 'KZ',
    city: 'Өскемен',
  } as const;
}

export const athleteData = athleteDataOf(personName);

/** Content of an identity card's scan. */
export function identityPaper(
  calendar: Pick<DemoCalendar, 'identityIssued' | 'identityUntil'>,
  now: Date,
  name: PersonName = personName,
): Paper {
  return {
    title: 'ЖЕКЕ КУӘЛІК',
    issuer: 'Қазақстан Республикасының Ішкі істер министрлігі',
    createdAt: now,
    rows: [
      holder(name),
      ['Туған күні', birthDate],
      ['Туған жері', 'Өскемен қаласы'],
      ['Нөмірі', '047 512 903'],
      ['Берілген күні', calendar.identityIssued],
      ['Қолданылу мерзімі', calendar.identityUntil],
    ],
  };
}

/** Content of a medical certificate that is valid through `until`. */
export function medicalPaper(number: string, until: string, now: Date, name: PersonName = personName): Paper {
  return {
    title: 'МЕДИЦИНАЛЫҚ АНЫҚТАМА',
    issuer: 'Өскемен қаласының № 3 емханасы',
    createdAt: now,
    rows: [
      holder(name),
      ['Анықтама нөмірі', number],
      ['Қорытынды', 'Спортпен шұғылдануға рұқсат етіледі'],
      ['Дәрігер', 'Жүсіпова Гүлнұр Қайратқызы'],
      ['Жарамды мерзімі', until],
    ],
  };
}

/** Fields of a document in `POST /documents`. */
export interface DocumentFacts {
  type: 'identity' | 'medical';
  number: string;
  expires_at: string;
  issued_at?: string;
}

/** Uploads a scan and creates a document. @returns the document's id */
export async function createDocument(client: DemoClient, profileId: number, paper: Paper, facts: DocumentFacts): Promise<number> {
  const fileId = await client.upload(await printScan(paper), 'document', `${paper.title.toLowerCase()}.pdf`);
  const made = await client.post('/documents', { profile_id: profileId, file_id: fileId, country: 'KZ', ...facts });
  return Number(made['id']);
}
