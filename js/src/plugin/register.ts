/**
 * charcoal-js/register: `node --import charcoal-js/register app.mjs` transforms marked ES modules as they are loaded. CHARCOAL_INCLUDE is a regular expression for files in which
 * every async function becomes an activity function.
 */
import { register } from 'node:module'

register('./hooks.js', import.meta.url, { data: { include: process.env.CHARCOAL_INCLUDE ?? '' } })
