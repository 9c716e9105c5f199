import { extensions } from '../../../src/registry/areas.ts';
import { changeVerbs, listActions, unpublishedActions } from '../../../src/areas/audit/index.ts';
import { changedRecords } from '../../../src/areas/changes/index.ts';
import { isExpired, readCursor, writeCursor } from '../../../src/areas/changes/cursor.ts';
import { actionsOf, typeOf } from '../../../src/areas/changes/types.ts';

/** Types, cursors and the registered records of the log of changes. */

describe('the audited actions (CHG-1)', () => {
  test('are published once, or left out with a reason', () => {
    const published = listActions();
    expect(new Set(published).size).toBe(published.length);
    expect(published.filter((action) => action in unpublishedActions)).toEqual([]);
    expect(Object.entries(unpublishedActions).filter(([, reason]) => reason.length < 10)).toEqual([]);
  });

  test('each have an area that knows their record', () => {
    const registered = extensions.of(changedRecords).flat();
    expect(registered.map(({ record }) => record).toSorted()).toEqual(Object.keys(changeVerbs).toSorted());
  });

  test('fit into the column of the log', () => {
    expect(listActions().filter((action) => action.length > 80)).toEqual([]);
  });
});

describe('types (CHG-5)', () => {
  test('name the record, what happened and the version', () => {
    expect(typeOf('application.approved')).toBe('registry.application.approved.v1');
  });

  test.each([
    ['registry.application.approved.v1', ['application.approved']],
    ['registry.photo.*', ['photo.approved', 'photo.changes', 'photo.cancelled']],
    ['*', listActions()],
    ['registry.*', null],
    ['registry.national.added.v1', null],
    ['registry.session.started.v1', null],
    ['application.approved', null],
    ['', null],
  ])('the filter %s', (filter, actions) => expect(actionsOf(filter)).toEqual(actions));
});

describe('cursors (CHG-2)', () => {
  const place = { place: 9_007_199_254_740_990, id: 9_007_199_254_740_991, at: new Date('2026-11-25T12:00:00Z') };

  test('survive the way through a client', () => expect(readCursor(writeCursor(place))).toEqual(place));

  test.each([
    '',
    'abc',
    '0',
    Buffer.from('2.1.2.3').toString('base64url'),
    Buffer.from('1.1.2').toString('base64url'),
    Buffer.from('1.1.2.3.4').toString('base64url'),
    Buffer.from('1.-1.2.3').toString('base64url'),
    Buffer.from('1.9007199254740993.2.3').toString('base64url'),
    Buffer.from('1.1.2.9999999999999999').toString('base64url'),
  ])('%s is none', (text) => expect(readCursor(text)).toBeNull());

  test('expire after ninety days (CHG-4)', () => {
    const daysLater = (days: number) => new Date(place.at.getTime() + days * 24 * 60 * 60_000);
    expect(isExpired(place, daysLater(90))).toBe(false);
    expect(isExpired(place, new Date(daysLater(90).getTime() + 1000))).toBe(true);
  });
});
