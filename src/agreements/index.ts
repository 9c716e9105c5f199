export { agreementsArea } from './area.ts';
export { makeAgreement } from './make-agreement.ts';
export { agreementProcess } from './process.ts';
export { seedContractTemplates } from './seed-templates.ts';
