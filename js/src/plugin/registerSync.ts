/** The same as register.ts where `require` takes ES modules, for `node --require charcoal-js/register` cannot wait. */
import { createRequire } from 'node:module'
import { checkTools } from './tools.ts'

checkTools('charcoal-js/register')
createRequire(import.meta.url)('./loader.js')
