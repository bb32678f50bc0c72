/** The types of chromium.mjs. */
export const chromium: string | undefined
