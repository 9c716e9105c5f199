export { administrationArea } from './area.ts';
