export { administrationArea } from './area.ts';
export { foldTallies } from './tallies.ts';
