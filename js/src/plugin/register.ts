/**
 * charcoal-js/register: `node --import charcoal-js/register app.mjs` and `bun --preload charcoal-js/register app.ts`
 * transform marked modules as they are loaded (see loader.ts). What that needs of other packages is looked for first,
 * because a module that imports what is missing never comes to say so.
 */
import { checkTools } from './tools.ts'

checkTools('charcoal-js/register')
const loader = './loader.js'
await import(loader)
