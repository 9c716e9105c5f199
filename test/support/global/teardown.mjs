// Jest loads a .ts file by require first, which modules with a top-level await refuse; an .mjs file is imported by Node itself.
export { default } from './teardown.ts';
