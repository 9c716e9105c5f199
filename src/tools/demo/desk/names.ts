import type { PersonName } from '../papers.ts';

/** A person of the demo. The same index gives the same person in each run. */
export interface Resident {
  index: number;
  name: PersonName;
  email: string;
  phone: string;
  gender: 'male' | 'female';
  /** `YYYY-MM-DD` */
  birthDate: string;
  citizenship: 'KZ' | 'DE' | 'TR';
  city: string;
  iin: string | undefined;
  isChild?: boolean;
}

const kazakh = {
  surnames:
    'Әбдіров Бекмұратов Дүйсенов Ерғалиев Жұмабаев Қасымов Нұрланов Оспанов Сәрсенов Тілеуов Үсенов Шәріпов Ізтілеуов Ғабдуллин'.split(' '),
  men: 'Алмас Бауыржан Дәурен Ерасыл Жандос Қайрат Мұрат Нұржан Олжас Тимур Шыңғыс'.split(' '),
  women: 'Айгерім Әсел Гүлнұр Жанель Инкар Қарлығаш Мөлдір Сәуле Томирис Ұлжан Шынар'.split(' '),
  fathers: 'Асқар Бақыт Ерлан Қанат Марат Өмірбек Серік'.split(' '),
  cities: 'Алматы Астана Шымкент Қарағанды Ақтөбе Тараз Өскемен Қостанай Орал Түркістан Талдықорған Ақтау Қызылорда'.split(' '),
};
const russian = {
  surnames: 'Воробьёв Гончаров Ефимов Ким Кузнецов Лебедев Мартынов Никитин Петренко Савельев Фролов Цой Шевчук Щербаков'.split(' '),
  men: 'Александр Артём Виктор Глеб Денис Илья Кирилл Павел Роман Сергей Фёдор'.split(' '),
  women: 'Алёна Виктория Дарья Екатерина Ксения Любовь Мария Наталья Ольга Полина Юлия'.split(' '),
  fathers: 'Андрее Викторо Дмитрие Ивано Николае Олего Сергее'.split(' '),
  cities: 'Алматы|Астана|Караганда|Усть-Каменогорск|Петропавловск|Павлодар|Семей|Костанай|Уральск|Актобе|Темиртау|Рудный|Атырау'.split('|'),
};
const guests = [
  { name: { first: 'Jonas', last: 'Weber', middle: '' }, gender: 'male', citizenship: 'DE', city: 'Stuttgart' },
  { name: { first: 'Emre', last: 'Yıldırım', middle: '' }, gender: 'male', citizenship: 'TR', city: 'İzmir' },
  { name: { first: 'Lena', last: 'Größmann', middle: '' }, gender: 'female', citizenship: 'DE', city: 'Köln' },
] as const;
/** Each such person is a guest with a Latin name. */
const guestEvery = 30;

/** Letters of the two alphabets in Latin, for e-mail addresses. */
const latin: Record<string, string> = Object.fromEntries(
  'аa әa бb вv гg ғg дd еe ёe жzh зz иi йi кk қk лl мm нn ңn оo өo пp рr сs тt уu ұu үu фf хh һh цts чch шsh щsch ыy іi эe юyu яya ъ ь ıi öo ßss'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
);

const pick = <Item>(list: readonly Item[], index: number) => list[index % list.length] as Item;
const two = (number: number) => String(number).padStart(2, '0');

/** Describes the person of an index: every third a woman, five Kazakh names for three Russian. */
export function describeResident(index: number, birthDate = birthDateOf(index)): Resident {
  const guest = index % guestEvery === guestEvery - 1 ? pick(guests, Math.floor(index / guestEvery)) : null;
  if (guest !== null) return { index, ...guest, ...contactsOf(guest.name, index), birthDate, iin: undefined };
  const isRussian = index % 8 > 4;
  const list = isRussian ? russian : kazakh;
  const gender = index % 3 === 1 ? 'female' : 'male';
  const endings = isRussian ? { male: 'вич', female: 'вна' } : { male: 'ұлы', female: 'қызы' };
  const surname = pick(list.surnames, index * 5 + Math.floor(index / 14));
  const name = {
    last: gender === 'female' && /[вн]$/.test(surname) ? `${surname}а` : surname,
    first: pick(gender === 'female' ? list.women : list.men, index * 2 + Math.floor(index / 11)),
    middle: `${pick(list.fathers, index * 3 + Math.floor(index / 7))}${endings[gender]}`,
  };
  const [city, iin] = [pick(list.cities, index), iinOf(birthDate, gender, index)];
  return { index, name, ...contactsOf(name, index), gender, birthDate, citizenship: 'KZ', city, iin };
}

/** Describes a child of a person. */
export function describeChild({ index, name: { last } }: Resident): Resident {
  const child = describeResident(index + 240, `201${2 + (index % 3)}-0${1 + (index % 9)}-15`);
  return { ...child, name: { ...child.name, last }, isChild: true };
}

function birthDateOf(index: number): string {
  return `${1968 + ((index * 7) % 38)}-${two(1 + ((index * 5) % 12))}-${two(1 + ((index * 11) % 28))}`;
}

function contactsOf({ first, last }: Pick<PersonName, 'first' | 'last'>, index: number): Pick<Resident, 'email' | 'phone'> {
  const address = `${first}.${last}`.toLowerCase().replaceAll(/[^a-z.]/g, (letter) => latin[letter] ?? '');
  return {
    email: `${address}${index}@example.kz`,
    phone: `+7 7${two(index % 80)} ${100 + index} ${two(index % 97)} ${two((index * 7) % 100)}`,
  };
}

/** Makes an individual identification number with its check digit (PRO-4). */
function iinOf(birthDate: string, gender: Resident['gender'], index: number): string {
  const century = Number(birthDate.slice(0, 2)) - 18;
  const start = birthDate.slice(2).replaceAll('-', '') + String(2 * century + (gender === 'male' ? 1 : 2));
  for (let serial = 1000 + index; ; serial += 200) {
    const digits = [...start, ...String(serial)].map(Number);
    for (const shift of [0, 2]) {
      const remainder = digits.reduce((sum, digit, place) => sum + digit * (((place + shift) % 11) + 1), 0) % 11;
      if (remainder < 10) return digits.join('') + String(remainder);
    }
  }
}
