import { accountSteps } from '../steps/accounts.ts';
import { catalogSteps } from '../steps/applications/catalog.ts';
import { formSteps } from '../steps/http/forms.ts';
import { listSteps } from '../steps/http/lists.ts';
import { incidentSteps } from '../steps/incidents.ts';
import { botSteps } from '../steps/messages/bot.ts';
import { contactSteps } from '../steps/messages/contact.ts';
import { mailSteps } from '../steps/messages/mails.ts';
import { streamSteps } from '../steps/messages/streams.ts';
import { processSteps } from '../steps/processes.ts';
import { repeatSteps } from '../steps/repeats.ts';
import { secondFactorSteps } from '../steps/second-factor.ts';
import type { Step } from '../steps/step.ts';
import { thiefSteps } from '../steps/thieves.ts';
import { gateSteps } from '../steps/verification/gates.ts';
import { story } from './story.ts';

/** Steps of one kind one after another: each is rare by itself, and meets what the others have left. */
export const roundStories: readonly Step[] = [
  round('clients send what no client should', [...formSteps, ...listSteps]),
  round('clients repeat their writes', [...repeatSteps, ...repeatSteps, ...repeatSteps]),
  round('people come and go at their browsers', accountSteps),
  round('thieves try what they have', [...thiefSteps, ...thiefSteps, ...secondFactorSteps]),
  round('people choose mails and write to the bot', [...botSteps, ...mailSteps, ...streamSteps]),
  round('administrators tidy up', [...catalogSteps, ...contactSteps, ...processSteps, ...incidentSteps]),
  round('gates read papers', [...gateSteps, ...gateSteps]),
];

function round(name: string, steps: readonly Step[]): Step {
  return story(name, async function* (world, random) {
    for (const step of random.shuffled(steps)) {
      await step.take(world, random);
      yield;
    }
  });
}
