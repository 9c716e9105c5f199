import fc from 'fast-check';
import { changedFields, checkBirthDate, iinOf, isIdentityField, mergeData, nameOf } from '../../../src/areas/profiles/identity.ts';
import { checkDigit, isIin, athleteData, organizerData, type AthleteData } from '../../../src/areas/profiles/profile-data.ts';

const athlete: AthleteData = {
  last_name: 'Әбдіқадырұлы',
  first_name: 'Ғалым',
  birth_date: '1990-05-17',
  gender: 'male',
  citizenship: 'KZ',
};
const organizer = {
  organization_name: 'Алматы автоклубы',
  director_name: 'Ақбота Сәрсенова',
  director_position: 'директор',
  legal_address: 'Алматы, Абай 1',
  phone: '+7 727 200 00 00',
  email: 'club@example.kz',
};

// PRO-4
describe('the IIN', () => {
  const elevenDigits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 11, maxLength: 11 });

  test('has at most one valid last digit for the same first eleven', () => {
    fc.assert(
      fc.property(elevenDigits, (digits) => {
        const right = Array.from({ length: 10 }, (_, last) => `${digits.join('')}${last}`).filter(isIin);
        const check = checkDigit(digits);
        expect(right).toEqual(check === null ? [] : [`${digits.join('')}${check}`]);
      }),
    );
  });

  test('detects one wrong digit among the first ten when the first weights decide', () => {
    fc.assert(
      fc.property(elevenDigits, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 9 }), (digits, position, shift) => {
        const sum = (values: number[]) => values.reduce((total, digit, index) => total + digit * (index + 1), 0) % 11;
        const wrong = digits.map((digit, index) => (index === position ? (digit + shift) % 10 : digit));
        fc.pre(sum(digits) < 10 && sum(wrong) < 10);
        expect(isIin(`${wrong.join('')}${checkDigit(digits)}`)).toBe(false);
      }),
    );
  });

  // 1·8+2·3+3·0+4·5+5·1+6·2+7·3+8·5+9·0+10·1+11·2 = 144, 144 mod 11 = 1.
  test.each([
    ['830512350121', true],
    ['830512350122', false],
    ['83051235012', false],
    ['8305123501211', false],
    ['83051235012a', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(isIin(text)).toBe(expected);
  });
});

describe('the data of a profile', () => {
  test('has its own fields for each kind', () => {
    expect(athleteData.safeParse(athlete).success).toBe(true);
    expect(organizerData.safeParse(organizer).success).toBe(true);
    expect(athleteData.safeParse(organizer).success).toBe(false);
    expect(organizerData.safeParse({ ...organizer, bin: '12345' }).success).toBe(false);
  });

  test('changes by merge: given fields replace, null removes, others stay', () => {
    const { first_name, ...one } = athlete;
    expect([first_name, nameOf('athlete', mergeData('athlete', athlete, { first_name: null })), nameOf('athlete', one)]).toEqual([
      'Ғалым',
      [one.last_name, one.middle_name].filter(Boolean).join(' '),
      [one.last_name, one.middle_name].filter(Boolean).join(' '),
    ]);
    const merged = mergeData('athlete', { ...athlete, city: 'Өскемен', phone: '+77011234567' }, { city: null, first_name: 'Ғани' });
    expect(merged).toEqual({ ...athlete, phone: '+77011234567', first_name: 'Ғани' });
  });

  test.each([
    [{ last_name: null }, 'body.data.last_name', 'required'],
    [{ nickname: null }, 'body.data.nickname', 'unknown_field'],
    [{ organization_name: 'x' }, 'body.data.organization_name', 'unknown_field'],
    [{ gender: 'x' }, 'body.data.gender', 'invalid_value'],
  ])('the change %j is refused at %s', (changes, path, code) => {
    expect(() => mergeData('athlete', athlete, changes)).toThrow(
      expect.objectContaining({ code: 'validation_failed', details: { fields: [expect.objectContaining({ path, code })] } }),
    );
  });

  test('refuses a date of birth from today on, by the day in UTC+5 (PRO-9)', () => {
    const born = (day: string) => () => checkBirthDate('athlete', { ...athlete, birth_date: day }, new Date('2026-03-01T19:30:00Z'));
    expect(born('2026-03-01')).not.toThrow();
    expect(born('2026-03-02')).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });

  test('determines names, IIN and identity fields (PRO-3)', () => {
    expect(nameOf('athlete', { ...athlete, middle_name: 'Ермекұлы' })).toBe('Әбдіқадырұлы Ғалым Ермекұлы');
    expect(nameOf('organizer', organizer)).toBe('Алматы автоклубы');
    expect(iinOf('athlete', { ...athlete, iin: '830512350121' })).toBe('830512350121');
    expect(iinOf('organizer', organizer)).toBeNull();
    expect(changedFields(athlete, { ...athlete, city: 'Семей', first_name: 'А' })).toEqual(['city', 'first_name']);
    expect(isIdentityField('athlete', 'iin')).toBe(true);
    expect(isIdentityField('athlete', 'city')).toBe(false);
    expect(isIdentityField('organizer', 'email')).toBe(false);
  });
});
