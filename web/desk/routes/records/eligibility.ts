import type { components } from '../../../../client/src/index.ts';
import { useLanguage, useTexts } from '../../shared/language.tsx';
import { competitionTexts } from './competition-texts.ts';

/** Says whether a person may take part, else why not. */
export function useReasons(): (eligibility: components['schemas']['Eligibility']) => string {
  const { day } = useLanguage();
  const own = useTexts(competitionTexts);
  return ({ ok, reasons, past }) => {
    const all = [...reasons, ...past];
    if (all.length === 0) return ok ? own.admitted : own.notAdmitted;
    return all.map((reason) => own.onDay(own.reasons[reason.code], day(reason.day))).join(', ');
  };
}
