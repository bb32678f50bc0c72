/** The types of size.mjs. */
export function sizeOf(root: string, names: string, from?: string, platform?: 'browser' | 'node'): Promise<number>
