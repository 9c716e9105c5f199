import { commit } from '../platform/command.ts';
import { decisionsOn, reviewable } from '../reviews/index.ts';
import { findAdditionalDocument } from './additional-document-queries.ts';
import { reviewAdditionalDocument } from './review-additional-document.ts';

/** Additional documents of events, as administrators decide on them; a repeat of a decision changes nothing, so it needs no key. */
export const additionalDocumentReviewable = reviewable({
  kind: 'additional_document',
  body: decisionsOn('additional_document'),
  async find(db, id) {
    const document = await findAdditionalDocument(db, id);
    return document && { kind: 'additional_document', id, status: document.status, review_note: document.reviewNote };
  },
  async review(platform, { id, decision, note }, { caller }) {
    await commit(platform, caller, (ctx) => reviewAdditionalDocument(ctx, id, { decision, note: note ?? null }));
  },
});
