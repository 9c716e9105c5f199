import { read } from '../../shared/queries.ts';

export const overview = read('/admin/overview');
