/** The global function of a realm that tells, as JSON, what was found in it. */
export const FOUND = '$ch_found'

/** What a time stamp begins with that tells it when the user leaves a page. */
export const LEFT = 'charcoal:found:'
