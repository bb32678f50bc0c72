/** The types of entries.mjs. */
export const library: Record<string, string>
export const tools: Record<string, string>
export function specifier(name: string): string
