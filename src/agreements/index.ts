export { agreementsArea } from './area.ts';
export { makeAgreement } from './make-agreement.ts';
export { seedContractTemplates } from './seed-templates.ts';
