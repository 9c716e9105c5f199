import { defineEntity, p } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { UserEntity } from '../accounts/index.ts';

/** What a person is told, written in the same transaction as the fact (decisions.md §8). */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => p.manyToOne(UserEntity).mapToPk().fieldName('user_id').foreignKeyName('notifications_user_fk'),
    type: p.string().length(60),
    title: p.string().length(200),
    text: p.text(),
    subjectKind: p.string().length(40),
    subjectId: p.string().length(60),
    createdAt: p.datetime(),
    readAt: p.datetime().strictNullable(),
  },
  indexes: [{ name: 'notifications_user_index', properties: ['userId', 'id'] }],
});
export type Notification = InferEntity<typeof NotificationEntity>;
