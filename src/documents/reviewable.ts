import { reviewDocumentUpdate } from '../../workflows/document-review.contract.ts';
import { sendCommand } from '../platform/workflows/send-command.ts';
import { decisionsOn, reviewable, wordsOf } from '../reviews/index.ts';
import { documentProcess } from './process.ts';
import { findDocument } from './queries.ts';

/** Documents, as administrators decide on them. */
export const documentReviewable = reviewable({
  kind: 'document',
  body: decisionsOn('document'),
  async find(db, id) {
    const document = await findDocument(db, id);
    return document && { kind: 'document', id, status: document.status, review_note: document.reviewNote };
  },
  review: (platform, { id, decision, note }, options) =>
    sendCommand(platform, documentProcess, id, reviewDocumentUpdate, { ...options, args: { decision }, words: wordsOf(note) }),
});
